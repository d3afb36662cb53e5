import { createSanitizer } from "../../../kit/text/sanitize.ts";
import { renderBlocks } from "./blocks.ts";
import { closeOpen } from "./close-open.ts";
import { type CodeBlock, createCodeBlock } from "./code-block.ts";
import { type Fence, findFence, readCode } from "./fence.ts";
import type { MarkdownContext } from "./inline.ts";
import { lexBlocks } from "./lex.ts";
import { readAhead } from "./read-ahead.ts";

export interface Markdown {
  readonly element: HTMLElement;
  /** Shows a text. What only grows is written once, but for its open end; `isWhole` says that it grows no more. */
  show(text: string, isWhole: boolean): void;
}

/** Markdown as elements that load nothing and run nothing, cheap enough to be shown anew in each frame of a stream. */
export function createMarkdown(whole: HTMLElement, writing: MarkdownContext): Markdown {
  let before = "";
  let wasWhole = false;
  let clean = createSanitizer();
  /** What is read and not yet settled. */
  let rest = "";
  /** The block of code that the text is in. */
  let code: { fence: Fence; block: CodeBlock } | undefined;
  let openNodes: readonly Node[] = [];

  function startAnew(): void {
    before = "";
    clean = createSanitizer();
    rest = "";
    code = undefined;
    openNodes = [];
    whole.replaceChildren();
  }

  /** Settles a part of the rest, if there is any to settle. */
  function settle(isWhole: boolean): boolean {
    if (rest === "") return false;
    if (code !== undefined) return settleCode(code.fence, code.block, isWhole);
    const found = findFence(rest, isWhole);
    if (found?.at === 0) {
      const block = createCodeBlock(found.fence.language, writing.locale);
      code = { fence: found.fence, block };
      whole.append(block.element);
      rest = rest.slice(found.length);
      return true;
    }
    const prose = rest.slice(0, found?.at);
    const { tokens, length, carried = "" } = readAhead(prose, isWhole || found !== undefined);
    whole.append(...renderBlocks(tokens, writing));
    rest = carried + rest.slice(length);
    return length > 0;
  }

  function settleCode(fence: Fence, block: CodeBlock, isWhole: boolean): boolean {
    const { lines, last, length, isClosed } = readCode(rest, fence, isWhole);
    if (lines !== "") block.add(lines);
    block.setLast(last);
    rest = rest.slice(length);
    if (isClosed || isWhole) code = undefined;
    return isClosed;
  }

  function showOpen(): void {
    const nodes = code === undefined && rest !== "" ? renderBlocks(lexBlocks(closeOpen(rest)), writing) : [];
    whole.append(...nodes);
    openNodes = nodes;
  }

  return {
    element: whole,
    show(text, isWhole) {
      if (text === before && isWhole === wasWhole) return;
      if (wasWhole || !text.startsWith(before)) startAnew();
      rest += clean.push(text.slice(before.length));
      if (isWhole) rest += clean.end();
      before = text;
      wasWhole = isWhole;
      for (const node of openNodes) node.parentNode?.removeChild(node);
      openNodes = [];
      while (settle(isWhole));
      showOpen();
    },
  };
}
