import { inspect } from "node:util";
import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import type { Ending } from "./messages.ts";

const lost: Text = {
  zh: "模块保存在内存中的内容已丢失，下次调用时重新启动。",
  en: "What it kept in memory is lost; the next call starts it again.",
};

/** Reports a call that reached its time limit while the module did not respond. */
export function blockedError(file: string, ms: number): DuetError {
  return endedError("timeout", {
    zh: `${file}：模块一直占用线程，到 ${ms / 1000} 秒的时限时被结束。`,
    en: `${file} kept its thread busy until the time limit of ${ms / 1000} s and was stopped.`,
  });
}

/** Reports a module that did not respond after its call was cancelled. */
export function abandonedError(file: string): DuetError {
  return endedError("timeout", {
    zh: `${file}：调用已取消，但模块仍占用线程，因此被结束。`,
    en: `${file} kept its thread busy after its call was cancelled and was stopped.`,
  });
}

/** Reports to the other calls that their module was ended because of this one. */
export function blockedByOtherError(file: string, tool: string): DuetError {
  return endedError("tool", {
    zh: `${file}：同一模块的另一次调用（${tool}）一直占用线程，模块被结束，本次调用随之中断。`,
    en: `${file} was stopped during this call, because another call of the module (${tool}) kept its thread busy.`,
  });
}

/** Reports a module that ended by itself. */
export function crashedError(file: string, ending: Ending, memoryMb: number): DuetError {
  const { zh, en } = describeEnding(ending, memoryMb);
  return endedError("tool", { zh: `${file}：模块已结束（${zh}）。`, en: `${file} ended: ${en}.` });
}

export function endedWhileLoadingError(ending: Ending, memoryMb: number): DuetError {
  const { zh, en } = describeEnding(ending, memoryMb);
  return new DuetError({
    code: "config",
    text: { zh: `加载过程中退出（${zh}）`, en: `ended while it was loading: ${en}` },
  });
}

function loadTimeoutError(ms: number): DuetError {
  return new DuetError({
    code: "config",
    text: { zh: `${ms / 1000} 秒内没有加载完`, en: `did not load within ${ms / 1000} s` },
  });
}

export function closingError(): DuetError {
  return new DuetError({ code: "tool", text: { zh: "Duet 正在关闭", en: "Duet is closing" } });
}

/** The line about a module that printed more within a second than is shown. */
export function toOutputLimitLine(file: string, characters: number): Text {
  return {
    zh: `${file}：输出过多，省略了 ${characters} 个字符`,
    en: `${file} printed too much: ${formatCount(characters, "character")} left out`,
  };
}

function endedError(code: "timeout" | "tool", { zh, en }: Text): DuetError {
  return new DuetError({ code, text: { zh: `${zh}${lost.zh}`, en: `${en} ${lost.en}` } });
}

function describeEnding(ending: Ending, memoryMb: number): Text {
  if (ending.by === "memory") {
    return { zh: `使用的内存超过 ${memoryMb} MB`, en: `it took more than ${memoryMb} MB of memory` };
  }
  if (ending.by === "exit") {
    const { code } = ending;
    return { zh: `调用了 process.exit(${code})`, en: `it called process.exit(${code})` };
  }
  const { thrown } = ending;
  const shown = toShortLine(thrown instanceof Error ? String(thrown) : inspect(thrown), 300);
  return { zh: `没有捕获的错误：${shown}`, en: `nothing caught its error: ${shown}` };
}

/** Limits how long a thread may take to begin with the module, in milliseconds. It is generous because a machine may be busy. */
const longestStartMs = 60_000;

/** Holds the promise of a thread that is still loading. */
export interface PendingThread<T> extends PromiseWithResolvers<T> {
  /** Starts the time limit for loading, when the thread begins to import the module. */
  startClock(): void;
}

/** Rejects where the thread does not begin in time, or the module does not load within `loadMs`. */
export function createOpening<T>(loadMs: number, onImporting = (): void => {}): PendingThread<T> {
  const opening = Promise.withResolvers<T>();
  const limitTo = (ms: number): NodeJS.Timeout => setTimeout(() => opening.reject(loadTimeoutError(ms)), ms);
  let timer = limitTo(longestStartMs);
  const clear = (): void => clearTimeout(timer);
  opening.promise.then(clear, clear);
  return {
    ...opening,
    startClock() {
      clear();
      timer = limitTo(loadMs);
      onImporting();
    },
  };
}
