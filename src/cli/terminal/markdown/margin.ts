import { createLine, type Line, type Span } from "../text/line.ts";
import { countCells } from "../text/width.ts";
import type { Container } from "./block.ts";

/** What stands in front of the lines of a block. */
export interface Margin {
  readonly first: Line;
  readonly further: Line;
  /** Marks of items for which there is no more room: they are part of the text. */
  readonly lead: readonly Span[];
  /** In cells. */
  readonly width: number;
}

/**
 * The margin of a block, by what it stands in: a bar for a quote; for an item its marker, or spaces where one of the
 * `marked` paths has shown it before. It takes no more than half of the screen.
 */
export function createMargin(path: readonly Container[], marked: readonly Container[], columns: number): Margin {
  const first: Span[] = [];
  const further: Span[] = [];
  const lead: Span[] = [];
  let width = 0;
  for (const [index, container] of path.entries()) {
    const isNew = marked[index] !== container;
    const mark = container.kind === "quote" ? "│ " : `${container.marker} `;
    const cells = countCells(mark);
    if (width + cells > columns / 2) {
      if (isNew && container.kind === "item") lead.push({ text: mark, styles: ["accent"] });
      continue;
    }
    width += cells;
    const isShown = isNew || container.kind === "quote";
    first.push(...(isShown ? createLine(mark, container.kind === "quote" ? "quote" : "accent") : spaces(cells)));
    further.push(...(container.kind === "quote" ? createLine(mark, "quote") : spaces(cells)));
  }
  return { first, further, lead, width };
}

/** The empty line between two blocks: only what both stand in goes on in it. */
export function createGap(before: readonly Container[], after: readonly Container[], columns: number): Line {
  const apart = after.findIndex((container, index) => before[index] !== container);
  const both = apart < 0 ? after : after.slice(0, apart);
  const { further } = createMargin(both, both, columns);
  const lastBar = further.findLastIndex(({ text }) => text.trim() !== "");
  return further
    .slice(0, lastBar + 1)
    .map((span, index) => (index === lastBar ? { ...span, text: span.text.trimEnd() } : span));
}

function spaces(cells: number): Line {
  return [{ text: " ".repeat(cells) }];
}
