// Feeds a file to xterm.js headless for each line on stdin, and prints the microseconds of CPU time that took.
import fs from 'node:fs';
import readline from 'node:readline';
import headless from '@xterm/headless';
import unicode11 from '@xterm/addon-unicode11';

const CHUNK = 65536;

for await (const file of readline.createInterface({ input: process.stdin })) {
    const bytes = fs.readFileSync(file);
    const terminal = new headless.Terminal({ cols: 80, rows: 24, scrollback: 0, allowProposedApi: true, logLevel: 'off' });
    terminal.loadAddon(new unicode11.Unicode11Addon());
    terminal.unicode.activeVersion = '11';
    const before = process.cpuUsage();
    for (let at = 0; at < bytes.length; at += CHUNK) terminal._core.writeSync(bytes.subarray(at, at + CHUNK));
    const { user, system } = process.cpuUsage(before);
    const { active } = terminal.buffer;
    const rows = [];
    for (let y = 0; y < 24; y++) rows.push(active.getLine(active.baseY + y).translateToString(true).trimEnd());
    terminal.dispose();
    console.log(JSON.stringify({ micros: user + system, rows }));
}
