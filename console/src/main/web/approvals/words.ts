const ODD = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const PLAIN = /^[\w@%+=:,./-]+$/;

/** Characters that would not be seen, or would move others, are written out. */
export const visible = (text: string) =>
  text.replace(ODD, (char) =>
    char === "\n" ? "\\n" : char === "\t" ? "\\t" : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );

/** A command line as a person would write it: words that a shell would take apart are quoted. */
export const commandLine = (words: readonly string[], more = 0) =>
  [
    ...words.map((word) => (PLAIN.test(word) ? word : `'${visible(word).replaceAll("'", "'\\''")}'`)),
    ...(more > 0 ? [`… and ${more} more`] : []),
  ].join(" ");
