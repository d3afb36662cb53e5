import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { mostTyped } from "./buffer.ts";

/**
 * Shows long pastes and images in the input as a short label, such as `[pasted 2,001 lines]` or `[image 1]`. A label is one piece:
 * the cursor does not stop within it, and a key that deletes a part of it deletes all of it.
 */
export interface Folds {
  /** Returns what is put in for a paste: a label where it is long, otherwise the paste. */
  foldPaste(text: string): string;
  /** Returns the label for a text of several lines, however short. */
  foldLines(text: string): string;
  /** Returns the label for an image that is mentioned as `@path`. In the text as it is sent the mention stands by itself. */
  foldImage(mention: string): string;
  /** Returns the text as it is sent, with what the labels stand for. */
  expand(text: string): string;
  /** Counts the UTF-16 units that the text has as it is sent. */
  countUnits(text: string): number;
  /** Returns a text that was expanded as it was before; any other text as it is. */
  collapse(text: string): string;
  /** Returns the label that lies on both sides of this index; undefined where none does. */
  findAround(text: string, index: number): { from: number; to: number } | undefined;
}

/** A paste of more lines or UTF-16 units is folded. */
const mostLines = 20;
const mostUnits = 4_000;

/**
 * Limits the labels that are remembered, and the UTF-16 units that they stand for; those that were not used for longest are forgotten.
 * Together these are many times what one text may hold, so that no label in it loses its content.
 */
const mostLabels = 10_000;
const mostRemembered = 20 * mostTyped;

/** Limits the texts whose short form is remembered. */
const mostExpanded = 20;

const labels = /\[[^[\]\n]*\]/g;

export function createFolds(locale: () => Locale): Folds {
  const contents = new Map<string, string>();
  const imageLabels = new Set<string>();
  let expanded: { text: string; whole: string }[] = [];
  let images = 0;
  let longest = 0;
  let remembered = 0;

  function forget(label: string): void {
    remembered -= contents.get(label)?.length ?? 0;
    contents.delete(label);
    imageLabels.delete(label);
  }

  function remember(label: string, content: string): string {
    forget(label);
    contents.set(label, content);
    remembered += content.length;
    longest = Math.max(longest, label.length);
    for (const oldest of contents.keys()) {
      if (contents.size <= mostLabels && remembered <= mostRemembered) break;
      forget(oldest);
    }
    return label;
  }

  /** Returns what a label stands for, and counts that as a use of it. */
  function recall(label: string): string {
    const content = contents.get(label);
    if (content === undefined) return label;
    const isImage = imageLabels.has(label);
    remember(label, content);
    if (isImage) imageLabels.add(label);
    return content;
  }

  /** Two pastes of the same length have different labels. */
  function createLabel(text: Text): string {
    const base = say(locale(), text);
    for (let number = 1; ; number++) {
      const label = number === 1 ? `[${base}]` : `[${base} #${number}]`;
      if (!contents.has(label)) return label;
    }
  }

  return {
    foldPaste(text) {
      const lines = countLines(text);
      if ((lines <= mostLines && text.length <= mostUnits) || text.length > mostTyped) return text;
      return remember(createLabel(lines > 1 ? describeLines(lines) : describeUnits(text.length)), text);
    },
    foldLines: (text) => remember(createLabel(describeLines(countLines(text))), text),
    foldImage(mention) {
      images += 1;
      const name = { zh: `图片 ${images}`, en: `image ${images}` };
      const label = `[${say(locale(), name)}]`;
      remember(label, mention);
      imageLabels.add(label);
      return label;
    },
    expand(text) {
      if (contents.size === 0) return text;
      // What a paste holds is taken as it is, whatever it looks like.
      const whole = text.replace(labels, (label, at: number) => {
        const content = recall(label);
        if (!imageLabels.has(label)) return content;
        // What stands right beside the label is no part of the path.
        const [before, after] = [text[at - 1] ?? " ", text[at + label.length] ?? " "];
        return `${/\s/.test(before) ? "" : " "}${content}${/\s/.test(after) ? "" : " "}`;
      });
      if (whole !== text) expanded = [...expanded, { text, whole }].slice(-mostExpanded);
      return whole;
    },
    countUnits(text) {
      if (contents.size === 0) return text.length;
      const added = text.matchAll(labels).map(([label]) => (contents.get(label) ?? label).length - label.length);
      return added.reduce((total, units) => total + units, text.length);
    },
    collapse: (text) => expanded.findLast(({ whole }) => whole === text)?.text ?? text,
    findAround(text, index) {
      if (contents.size === 0) return undefined;
      const start = Math.max(0, index - longest);
      const found = text.slice(start, index + longest).matchAll(labels);
      for (const { 0: label, index: at } of found) {
        const from = start + at;
        const to = from + label.length;
        if (from < index && index < to && contents.has(label)) return { from, to };
      }
      return undefined;
    },
  };
}

/** Folds nothing, for inputs that take no files. */
export const noFolds: Folds = {
  foldPaste: (text) => text,
  foldLines: (text) => text,
  foldImage: (mention) => mention,
  expand: (text) => text,
  countUnits: (text) => text.length,
  collapse: (text) => text,
  findAround: () => undefined,
};

/** A line end at the end begins no further line. */
function countLines(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}

function describeLines(count: number): Text {
  const lines = count.toLocaleString("en");
  return { zh: `已粘贴 ${lines} 行`, en: `pasted ${lines} lines` };
}

function describeUnits(count: number): Text {
  const units = count.toLocaleString("en");
  return { zh: `已粘贴 ${units} 个字符`, en: `pasted ${units} characters` };
}
