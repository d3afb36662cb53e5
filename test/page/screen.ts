import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import { patienceMs } from "../runner/patience.ts";

/** What stands in a step of a run. */
export interface ShownStep {
  title: string;
  isOpen: boolean;
  /** All of it, folded or not. */
  text: string;
}

/** What a person sees of the last run. */
export interface Shown {
  status: string;
  /** Whether the list of its steps stands open, and in how many lines the person sees it; undefined where there is none. */
  list: { title: string; isOpen: boolean; lines: number } | undefined;
  steps: ShownStep[];
  /** Of the model that reasons, apart from the steps. */
  thoughts: ShownStep[];
  answer: string;
  sources: string[];
  /** The line of the bill, and its table. */
  bill: string;
  problem: string;
}

/** Reads it all at one moment. */
export function readRun(page: Page): Promise<Shown> {
  return page.evaluate<Shown>(`(() => {
    const turn = [...document.querySelectorAll(".turn")].at(-1);
    const textOf = (selector) => turn?.querySelector(selector)?.textContent ?? "";
    const isShown = (node) => !node.closest("[hidden]");
    const list = turn?.querySelector(".steps:not([hidden]) > .step-list");
    return {
      list: list ? {
        title: list.querySelector("summary").textContent,
        isOpen: list.open,
        lines: [...list.querySelectorAll(".step > details > summary")].filter((line) => line.checkVisibility()).length,
      } : undefined,
      status: textOf(".status"),
      thoughts: [...(turn?.querySelectorAll(".thinking") ?? [])].filter(isShown).map((fold) => ({
        title: fold.querySelector("summary").textContent,
        isOpen: fold.open,
        text: fold.querySelector(".body").textContent,
      })),
      steps: [...(turn?.querySelectorAll(".step > details") ?? [])].map((step) => ({
        title: step.querySelector("summary").textContent,
        isOpen: step.open,
        text: [...step.querySelectorAll(":scope > .body *")].filter(isShown)
          .flatMap((node) => [...node.childNodes]).filter(({ nodeType }) => nodeType === 3).map(({ data }) => data).join("\\n"),
      })),
      answer: turn?.querySelector(".answer:not([hidden]) .words")?.textContent ?? "",
      sources: [...(turn?.querySelectorAll(".sources:not([hidden]) li") ?? [])].map((entry) => entry.textContent),
      bill: textOf(".fold-bill"),
      problem: textOf(".problem"),
    };
  })()`);
}

/** Waits until the last run shows what is wanted, and gives what it shows then. */
export async function untilRun(page: Page, isSo: (shown: Shown) => boolean): Promise<Shown> {
  const limit = performance.now() + patienceMs;
  for (;;) {
    const shown = await readRun(page);
    if (isSo(shown)) return shown;
    if (performance.now() > limit) throw new Error(`the page shows: ${JSON.stringify(shown, undefined, 1)}`);
    await pause(25);
  }
}

/** Writes a text and sends it, by the keyboard. */
export async function send(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: /输入问题|Your question/ }).fill(text);
  await page.keyboard.press("Enter");
}

/**
 * Sends a question and waits until its turn is on the page, so that what is read then is not the turn before. The turns are not
 * counted: those of a conversation that was just left may still be on the page.
 */
export async function ask(page: Page, question: string): Promise<void> {
  await page.evaluate(`for (const turn of document.querySelectorAll(".turn")) turn.dataset.wasBefore = "";`);
  await send(page, question);
  await page
    .locator(".turn:not([data-was-before])")
    .filter({ hasText: question.slice(0, 40) })
    .first()
    .waitFor({ state: "attached" });
}

export async function answered(page: Page): Promise<Shown> {
  return untilRun(page, ({ status }) => /已完成|Complete/.test(status));
}

/** Which steps and thoughts were opened and folded so far, in order. */
export function foldsOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>("window.folds");
}

/** A promise and how it is fulfilled. */
export function gate(): { until: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { until: promise, open: resolve };
}

export async function chooseMode(page: Page, name: string): Promise<void> {
  await page.getByRole("combobox", { name: /对话模式|Mode/ }).selectOption(name);
}

/** Waits until the talk says so, outside of a run. */
export async function told(page: Page, text: string): Promise<void> {
  await page.locator(".note").filter({ hasText: text }).last().waitFor();
}
