// Where Belay's screen differs from xterm.js on purpose. Each entry changes a terminal of xterm.js into what Belay does, so that
// everything else can be compared exactly; docs/screen.md lists the same differences.

const tail = (line, x) => line.getWidth(x) === 0 && !line.hasContent(x);
const isWide = (line, x) => line.getWidth(x) === 2;
const WIDTH = 22;

// A wide character without its second half becomes a blank in its own style.
const blank = (line, x) => {
    line._data[x * 3] = 1 << WIDTH;
};

export const corrections = {
    'DECRC restores the underline, not only colours and flags; a saved column is one of the screen': ({ handler, buffers }) => {
        const { saveCursor, restoreCursor, softReset } = handler;
        handler.saveCursor = params => {
            saveCursor.call(handler, params);
            const buffer = buffers.active;
            buffer.savedX = Math.min(buffer.savedX, handler._bufferService.cols - 1);
            buffer.savedUnderline = handler._curAttrData.extended.clone();
            return true;
        };
        handler.restoreCursor = params => {
            restoreCursor.call(handler, params);
            const pen = handler._curAttrData;
            const { urlId } = pen.extended;
            pen.extended = buffers.active.savedUnderline?.clone() ?? pen.extended.clone();
            if (!buffers.active.savedUnderline) pen.extended.ext = 0;
            pen.extended.urlId = urlId;
            pen.updateExtended();
            return true;
        };
        handler.softReset = params => {
            softReset.call(handler, params);
            buffers.active.savedUnderline = undefined;
            return true;
        };
    },

    'A saved cursor keeps its place on the screen: xterm.js moves it up until its scrollback is full, then no longer': ({ service, handler, buffers }) => {
        const { scroll } = service;
        service.scroll = (...args) => {
            const { active } = buffers;
            const before = active.ybase;
            scroll.apply(service, args);
            active.savedY += active.ybase - before;
        };
        const { eraseInDisplay } = handler;
        handler.eraseInDisplay = (params, selected) => {
            const { active } = buffers;
            const place = active.savedY - active.ybase;
            eraseInDisplay.call(handler, params, selected);
            active.savedY = active.ybase + place;
            return true;
        };
    },

    'A cursor that waits behind the last column is reported in it, as xterm does': ({ handler, buffers, service }) => {
        for (const name of ['deviceStatus', 'deviceStatusPrivate']) {
            const report = handler[name];
            handler[name] = params => {
                const { active } = buffers;
                const { x } = active;
                active.x = Math.min(x, service.cols - 1);
                report.call(handler, params);
                active.x = x;
                return true;
            };
        }
    },

    'ED 1 at the end of a row unwraps the row below: xterm.js looks for it in the scrollback, and fails on the last row': ({ handler, buffers, service }) => {
        const { eraseInDisplay } = handler;
        handler.eraseInDisplay = (params, selected) => {
            if (params.params[0] !== 1) return eraseInDisplay.call(handler, params, selected);
            const { active } = buffers;
            handler._restrictCursor(service.cols);
            handler._eraseInBufferLine(active.y, 0, active.x + 1, true, selected);
            if (active.x + 1 >= service.cols && active.y + 1 < service.rows) {
                active.lines.get(active.ybase + active.y + 1).isWrapped = false;
            }
            for (let y = 0; y < active.y; y++) handler._resetBufferLine(y, selected);
            return true;
        };
    },

    'Tab stops beyond the last column are forgotten': ({ handler, buffers, service }) => {
        const { tabSet } = handler;
        handler.tabSet = () => buffers.active.x >= service.cols || tabSet.call(handler);
        const { resize } = buffers;
        buffers.resize = (cols, rows) => {
            for (const { tabs } of [buffers.normal, buffers.alt]) {
                for (const stop of Object.keys(tabs)) if (Number(stop) >= cols) delete tabs[stop];
            }
            resize.call(buffers, cols, rows);
        };
    },

    'The alternate screen is cropped, and no half of a wide character stays at the edge': ({ buffers }) => {
        const { resize } = buffers;
        buffers.resize = (cols, rows) => {
            resize.call(buffers, cols, rows);
            for (const buffer of [buffers.normal, buffers.alt]) {
                for (let i = 0; i < buffer.lines.length; i++) {
                    const line = buffer.lines.get(i);
                    if (line.length > cols) line.resize(cols, buffer.getNullCell());
                    if (isWide(line, cols - 1)) blank(line, cols - 1);
                }
                if (buffer.lines.length > 0) {
                    buffer.savedY = Math.max(buffer.ybase, Math.min(buffer.savedY, buffer.ybase + rows - 1));
                }
            }
        };
    },

    'DECALN in origin mode does not write beyond the screen': ({ handler, buffers, service }) => {
        handler.screenAlignmentPattern = () => {
            handler._setCursor(0, 0);
            const { active } = buffers;
            const cell = active.getNullCell(handler._curAttrData);
            const { content } = cell;
            cell.content = 1 << WIDTH | 'E'.charCodeAt(0);
            cell.extended = { _ext: 0, urlId: 0 };
            for (let y = active.y; y < service.rows; y++) {
                const line = active.lines.get(active.ybase + y);
                line.fill(cell);
                line.isWrapped = false;
            }
            cell.content = content;
            handler._setCursor(0, 0);
            return true;
        };
    },

    'The alternate screen never keeps rows above: in xterm.js it does after the terminal was made smaller while it was not shown': ({ buffers }) => {
        const { resize } = buffers;
        buffers.resize = (cols, rows) => {
            resize.call(buffers, cols, rows);
            if (buffers.alt.lines.length === 0) buffers.alt.lines.maxLength = rows;
        };
    },

    'After a resize the last row is the last line: with a full scrollback xterm.js may count too many lines above': ({ buffers }) => {
        const { resize } = buffers;
        buffers.resize = (cols, rows) => {
            resize.call(buffers, cols, rows);
            const { normal } = buffers;
            const excess = normal.ybase + rows - normal.lines.length;
            if (excess !== 0) {
                normal.ybase -= excess;
                normal.ydisp = normal.ybase;
                normal.y = Math.max(0, Math.min(normal.y + excess, rows - 1));
                normal.savedY = Math.max(normal.ybase, Math.min(normal.savedY, normal.ybase + rows - 1));
            }
        };
    },

    'A mark without a character does not move the cursor beyond the row; a wide character whose second half is lost becomes a blank': ({ handler, buffers, service }) => {
        const { print } = handler;
        handler.print = (data, start, end) => {
            const { active } = buffers;
            for (let i = start; i < end; i++) {
                print.call(handler, data, i, i + 1);
                active.x = Math.min(active.x, service.cols);
            }
            const line = active.lines.get(active.ybase + active.y);
            for (let x = 0; x < service.cols; x++) {
                if (isWide(line, x) && (x + 1 === service.cols || !tail(line, x + 1))) blank(line, x);
            }
        };
    },

    'No mark joins a character from before a resize, and REP does not repeat it': ({ handler, buffers }) => {
        const { resize } = buffers;
        buffers.resize = (cols, rows) => {
            resize.call(buffers, cols, rows);
            handler._parser.precedingJoinState = 0;
        };
    },

    'REP fills the screen once at the most': ({ handler, service }) => {
        const { repeatPrecedingCharacter } = handler;
        handler.repeatPrecedingCharacter = params => {
            params.params[0] = Math.min(params.params[0], service.cols * service.rows);
            return repeatPrecedingCharacter.call(handler, params);
        };
    },

    'National character sets are ASCII': ({ handler }) => {
        const { selectCharset } = handler;
        handler.selectCharset = said => selectCharset.call(handler, said[0] + ('0A'.includes(said[1]) ? said[1] : 'B'));
    },

    'RIS resets LNM and the blinking of the cursor, and shows the cursor': ({ core }) => {
        const { reset } = core;
        core.reset = () => {
            reset.call(core);
            core.options.convertEol = false;
            core.options.cursorBlink = false;
            core.coreService.isCursorHidden = false;
        };
    },
};

// The same for its rows of cells and their list, once for all terminals.
export const lineCorrections = {
    'Lines that no longer fit in the scrollback are dropped: xterm.js may write them over the last row': ({ List }) => {
        const { set } = List;
        List.set = function (index, value) {
            if (index >= 0) set.call(this, index, value);
        };
    },

    'Inserting in the middle of a wide character leaves no second half behind': ({ Line }) => {
        const { insertCells } = Line;
        Line.insertCells = function (pos, n, fill) {
            insertCells.call(this, pos, n, fill);
            const next = pos % this.length + n;
            if (next < this.length && tail(this, next)) this.setCellFromCodepoint(next, 0, 1, fill);
        };
    },

    'Marks move with their characters when lines are wrapped anew': ({ Line }) => {
        Line.copyCellsFrom = function (source, from, to, length, reverse) {
            for (let i = 0; i < length; i++) {
                const cell = reverse ? length - 1 - i : i;
                for (let word = 0; word < 3; word++) this._data[(to + cell) * 3 + word] = source._data[(from + cell) * 3 + word];
                this._extendedAttrs[to + cell] = source._extendedAttrs[from + cell];
                if (source._data[(from + cell) * 3] & 0x200000) this._combined[to + cell] = source._combined[from + cell];
            }
        };
    },
};
