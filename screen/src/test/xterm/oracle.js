// Runs xterm.js headless for the tests. Reads scenarios from stdin, a line each:
//   new COLS ROWS KEPT · feed HEX · resize COLS ROWS · raw (without corrections) · widths
// and prints the terminal's whole state after each feed and resize, a line each; then the replies it sent.
import readline from 'node:readline';
import headless from '@xterm/headless';
import unicode11 from '@xterm/addon-unicode11';
import { corrections, lineCorrections } from './corrections.js';

const FG_FLAGS = 0xec000000;
const BG_FLAGS = 0x4c000000;
const PROTECTED = 0x20000000;
const UNDERLINE = 0x10000000;
const EXTENDED = 0x10000000;

const colour = word => {
    switch (word >>> 24 & 3) {
        case 0: return 0;
        case 3: return word & 0x3ffffff;
        default: return word & 0x30000ff;
    }
};
const under = (fg, bg, extended) => {
    if (!(fg & UNDERLINE)) return 0;
    if (!(bg & EXTENDED)) return 1 << 26;
    const style = extended._ext >>> 26 & 7;
    const own = colour(extended._ext & 0x3ffffff);
    // SGR 59 makes it white in xterm.js instead of the text's colour
    return style === 0 ? 0 : style << 26 | (own === 0x3ffffff ? 0 : own);
};
const style = (fg, bg, extended, links) => [
    ((colour(fg) | fg & FG_FLAGS) >>> 0).toString(16), (colour(bg) | bg & BG_FLAGS).toString(16),
    under(fg, bg, extended).toString(16), bg & EXTENDED && extended.urlId ? links(extended.urlId) : '', bg & PROTECTED ? 'p' : '',
].join(',');

const row = (line, cols, links) => {
    if (!line) return 'none';
    const runs = [];
    for (let x = 0; x < cols; x++) {
        const content = line._data[x * 3];
        const text = content & 0x200000 ? line._combined[x] : content & 0x1fffff ? String.fromCodePoint(content & 0x1fffff) : '';
        const cell = `${[...text].map(c => c.codePointAt(0).toString(16)).join('.')}/${content >>> 22}/${
            style(line._data[x * 3 + 1], line._data[x * 3 + 2], line._extendedAttrs[x], links)}`;
        if (runs.length > 0 && runs.at(-1)[0] === cell) runs.at(-1)[1]++;
        else runs.push([cell, 1]);
    }
    return (line.isWrapped ? '+' : '-') + runs.map(([cell, count]) => `${cell}x${count}`).join(' ');
};

const set = charset => charset === undefined ? 'B' : charset.q ? '0' : charset['#'] === '£' ? 'A' : 'B';

const grid = (buffer, cols, rows, links) => {
    const stops = Object.keys(buffer.tabs).filter(stop => buffer.tabs[stop]).map(Number).sort((a, b) => a - b);
    const saved = buffer.savedCurAttrData;
    const extended = buffer.savedUnderline ?? { _ext: 0, urlId: 0 };
    const savedY = Math.max(0, Math.min(buffer.savedY - buffer.ybase, rows - 1));
    const pen = `${((colour(saved.fg) | saved.fg & FG_FLAGS) >>> 0).toString(16)},${(colour(saved.bg) | saved.bg & BG_FLAGS).toString(16)},${
        under(saved.fg, extended._ext >>> 26 & 7 ? saved.bg | EXTENDED : saved.bg & ~EXTENDED, extended).toString(16)},${saved.bg & PROTECTED ? 'p' : ''}`;
    const lines = [];
    for (let i = 0; i < buffer.lines.length; i++) lines.push(row(buffer.lines.get(i), cols, links));
    return `above=${buffer.ybase} margins=${buffer.scrollTop}-${buffer.scrollBottom} tabs=${stops} saved=${Math.min(buffer.savedX, cols - 1)},${savedY},${pen},${
        set(buffer.savedCharset)} [${lines.join('|')}]`;
};

const MOUSE = { NONE: 'OFF', X10: 'X10', VT200: 'BUTTONS', DRAG: 'DRAG', ANY: 'ANY' };
const ENCODING = { DEFAULT: 'DEFAULT', SGR: 'SGR', SGR_PIXELS: 'PIXELS' };
const SHAPE = { block: 1, underline: 3, bar: 5 };

const dump = ({ core, handler, buffers, service }, title) => {
    const { cols, rows } = service;
    const links = id => core._oscLinkService.getLinkData(id)?.uri ?? '?';
    const dec = core.coreService.decPrivateModes;
    const pen = handler._curAttrData;
    const charsets = core._charsetService;
    const shape = dec.cursorStyle === undefined ? 0 : SHAPE[dec.cursorStyle] + (dec.cursorBlink ? 0 : 1);
    const modes = [
        core.coreService.modes.insertMode && 'insert', core.options.convertEol && 'newLine',
        dec.applicationCursorKeys && 'cursorKeys', dec.applicationKeypad && 'keypad', dec.origin && 'origin',
        dec.wraparound && 'wrap', dec.reverseWraparound && 'reverseWrap', dec.sendFocus && 'focus',
        dec.bracketedPasteMode && 'paste', dec.synchronizedOutput && 'sync', core.coreService.isCursorHidden && 'hidden',
        core.options.cursorBlink && 'blink',
    ].filter(Boolean);
    return `${cols}x${rows} cursor=${buffers.active.x},${buffers.active.y} ${buffers.active === buffers.alt ? 'alternate' : 'main'} shape=${shape} modes=${modes} mouse=${
        MOUSE[core.coreMouseService.activeProtocol]},${ENCODING[core.coreMouseService.activeEncoding]} charset=${set(charsets.charset)},${charsets.glevel},${
        [0, 1, 2, 3].map(g => set(charsets._charsets[g])).join('')} pen=${
        style(pen.fg, pen.extended._ext >>> 26 & 7 || pen.extended.urlId ? pen.bg | EXTENDED : pen.bg & ~EXTENDED, pen.extended, links)} title=${
        Buffer.from(title).toString('hex')} main: ${grid(buffers.normal, cols, rows, links)} alternate: ${grid(buffers.alt, cols, rows, links)}`;
};

let terminal;
let parts;
let title = '';
let replies = [];
let corrected = true;
let linesCorrected = false;

const open = (cols, rows, kept) => {
    terminal?.dispose();
    terminal = new headless.Terminal({
        cols, rows, scrollback: kept, allowProposedApi: true, logLevel: 'off', windowOptions: { getWinSizeChars: true },
    });
    terminal.loadAddon(new unicode11.Unicode11Addon());
    terminal.unicode.activeVersion = '11';
    title = '';
    replies = [];
    terminal.onTitleChange(said => { title = said; });
    terminal.onData(said => replies.push(Buffer.from(said).toString('hex')));
    const core = terminal._core;
    parts = { core, handler: core._inputHandler, buffers: core.buffers, service: core._bufferService };
    if (corrected) {
        for (const correct of Object.values(corrections)) correct(parts);
        const Line = Object.getPrototypeOf(core.buffers.normal.lines.get(0));
        const List = Object.getPrototypeOf(core.buffers.normal.lines);
        for (const correct of linesCorrected ? [] : Object.values(lineCorrections)) correct({ Line, List });
        linesCorrected = true;
    }
};

for await (const line of readline.createInterface({ input: process.stdin })) {
    const [word, ...rest] = line.split(' ');
    switch (word) {
        case 'raw': corrected = false; break;
        case 'new': open(...rest.map(Number)); break;
        case 'feed':
            terminal._core.writeSync(Buffer.from(rest[0] ?? '', 'hex'));
            break;
        case 'resize': terminal.resize(...rest.map(Number)); break;
        case 'dump': process.stdout.write(`${dump(parts, title)} replies=${replies}\n`); replies = []; break;
        case 'text': {
            const lines = [];
            const { active } = terminal.buffer;
            for (let y = 0; y < terminal.rows; y++) lines.push(active.getLine(active.baseY + y).translateToString(true));
            process.stdout.write(`${Buffer.from(lines.join('\n')).toString('hex')}\n`);
            break;
        }
        case 'widths': {
            const widths = [];
            for (let code = 0xa0; code <= 0x10ffff; code++) widths.push(terminal._core.unicodeService.wcwidth(code));
            process.stdout.write(`${widths.join('')}\n`);
            break;
        }
        default: process.stdout.write(`what is ${word}?\n`);
    }
}
