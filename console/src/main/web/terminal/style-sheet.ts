/**
 * What the build puts in the place of the style elements of xterm.js, which the page's policy forbids: the same text
 * as a constructed sheet of the document, for as long as the element is in it.
 */
class StyleSheetElement extends HTMLElement {
  #sheet = new CSSStyleSheet();

  override get textContent(): string {
    return "";
  }

  override set textContent(text: string) {
    this.#sheet.replaceSync(text);
  }

  connectedCallback() {
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.#sheet];
  }

  disconnectedCallback() {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.#sheet);
  }
}

customElements.define("style-sheet", StyleSheetElement);
