import { type Locale, say } from "../../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../../kit/text/sanitize.ts";
import { createButton, createElement, setText } from "../dom.ts";
import type { CodeElements } from "../markdown/inline.ts";

/**
 * Lets a person copy single lines of a block of code that is whole: the line that the pointer is on, or by keyboard the one that the
 * arrow keys lead to. There is one button for all lines, because long code would have thousands.
 */
export function addLineCopy({ block, text, code }: CodeElements, locale: Locale): void {
  if (navigator.clipboard === undefined || readLines().length < 2) return;
  const button = createButton("⧉", () => void copyLine(), "copy-line");
  const mark = createElement("div", { class: "line-mark", "aria-hidden": "true" });
  const told = createElement("span", { class: "visually-hidden", role: "status" });
  let at = 0;

  /** A line end at the end begins no line. */
  function readLines(): string[] {
    return (code.textContent ?? "").replace(/\n$/, "").split("\n");
  }

  function chooseLine(wanted: number): void {
    const lines = readLines();
    at = Math.min(Math.max(wanted, 0), lines.length - 1);
    const style = getComputedStyle(text);
    const height = Number.parseFloat(style.lineHeight);
    const top = text.offsetTop + Number.parseFloat(style.paddingTop) + at * height;
    for (const each of [button, mark]) {
      each.style.top = `${top}px`;
      each.style.height = `${height}px`;
    }
    setLabel(lines[at] ?? "");
    block.dataset.line = String(at + 1);
  }

  function setLabel(line: string): void {
    const shown = toShortLine(sanitizeLine(line), 80);
    const label = say(locale, { zh: `复制第 ${at + 1} 行：${shown}`, en: `Copy line ${at + 1}: ${shown}` });
    button.setAttribute("aria-label", label);
    button.title = label;
    setText(button, "⧉");
  }

  function chooseAt(event: PointerEvent): void {
    const style = getComputedStyle(text);
    const y = event.clientY - text.getBoundingClientRect().top - Number.parseFloat(style.paddingTop);
    const line = Math.floor(y / Number.parseFloat(style.lineHeight));
    if (block.dataset.line === undefined || line !== at) chooseLine(line);
  }

  function leaveLines(): void {
    if (document.activeElement !== button) delete block.dataset.line;
  }

  async function copyLine(): Promise<void> {
    const isCopied = await navigator.clipboard.writeText(readLines()[at] ?? "").then(
      () => true,
      () => false,
    );
    setText(button, isCopied ? "✓" : "✗");
    const copied = { zh: `已复制第 ${at + 1} 行`, en: `Copied line ${at + 1}` };
    setText(told, say(locale, isCopied ? copied : { zh: "未能复制", en: "Not copied" }));
  }

  text.addEventListener("pointermove", chooseAt);
  text.addEventListener("pointerdown", chooseAt);
  block.addEventListener("pointerleave", leaveLines);
  button.addEventListener("focus", () => chooseLine(at));
  button.addEventListener("blur", () => {
    delete block.dataset.line;
  });
  button.addEventListener("keydown", (event) => {
    const wanted = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: Number.POSITIVE_INFINITY }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    chooseLine(wanted);
    setText(told, button.title);
    button.scrollIntoView({ block: "nearest" });
  });
  button.setAttribute("aria-keyshortcuts", "ArrowUp ArrowDown");
  // Where it stands is measured when it is first seen: an answer may have many blocks.
  setLabel(readLines()[0] ?? "");
  block.append(mark, button, told);
}
