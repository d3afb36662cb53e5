import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { createSanitizer, sanitize } from "../../../kit/text/sanitize.ts";
import { takeStart } from "../../../kit/text/truncate.ts";
import { createButton, createElement, type Part, setShown, setText } from "../dom.ts";
import type { ShownResult } from "../step-part.ts";
import type { ResultPart } from "./api/api.ts";
import { describeError } from "./report-errors.ts";

/** Limits what is shown of a result unasked, in UTF-16 units. */
const mostAtFirst = 4000;

/** A shorter result without a mark of what was left out is whole. */
const longestWhole = 1000;

export type LoadResult = (runId: string, call: number, offset: number) => Promise<ResultPart>;

/**
 * Shows the beginning of a result, and further parts of it when they are asked for, which the server has once the run is over. What
 * stands there already is not written again, so that a long one does not hold the page up.
 */
export function createLongResult(locale: Locale, title: string, load: LoadResult): Part<ShownResult> {
  const text = createElement("pre", { tabindex: "0", role: "group", "aria-label": title, dir: "auto" });
  const told = createElement("span", { class: "facts", role: "status" });
  const button = createButton(say(locale, words.more), () => void addPart(), "more");
  const bar = createElement("div", { class: "result-bar", hidden: "" }, button, told);
  const whole = createElement("div", {}, createElement("h3", {}, title), text, bar);
  let shown: ShownResult = { text: "", place: undefined };
  let next: number | undefined = 0;
  let clean = createSanitizer();
  let isLoaded = false;
  let isLoading = false;

  async function addPart(): Promise<void> {
    const { place } = shown;
    if (place === undefined || next === undefined || isLoading) return;
    isLoading = true;
    button.setAttribute("aria-busy", "true");
    try {
      showPart(await load(place.runId, place.call, next));
    } catch (thrown) {
      setText(told, say(locale, words.failed) + describeError(thrown, locale));
    }
    isLoading = false;
    button.removeAttribute("aria-busy");
  }

  function showPart({ text: part, next_offset, total, offset, left_out }: ResultPart): void {
    if (!isLoaded) {
      clean = createSanitizer();
      text.replaceChildren();
      isLoaded = true;
    }
    text.append(clean.push(part) + (next_offset === null ? clean.end() : ""));
    next = next_offset ?? undefined;
    setText(told, say(locale, describePart(offset + part.length, total, left_out)));
    if (next !== undefined) return;
    text.focus({ preventScroll: true });
    setShown(button, false);
  }

  return {
    element: whole,
    show(value) {
      setShown(whole, value.text !== "");
      // What a person has asked for stays.
      if (isLoaded || (shown.text === value.text && shown.place?.runId === value.place?.runId)) return;
      shown = value;
      setText(text, sanitize(takeStart(value.text, mostAtFirst)));
      const isLong = value.text.length > longestWhole || value.text.includes("…");
      setShown(bar, isLong && value.place !== undefined);
    },
  };
}

function describePart(shown: number, total: number, leftOut: number): Text {
  const [some, all, lost] = [shown, total, leftOut].map((count) => count.toLocaleString("en"));
  const zh = `已显示 ${some} / ${all} 个字符`;
  const en = `${some} of ${all} characters`;
  if (shown < total || leftOut === 0) return { zh, en };
  return { zh: `${zh}；其后 ${lost} 个字符没有保存`, en: `${en}; ${lost} more were not kept` };
}

const words = {
  more: { zh: "显示更多结果", en: "Show more of the result" },
  failed: { zh: "未能读取：", en: "Not read: " },
} as const satisfies Record<string, Text>;
