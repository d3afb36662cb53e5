import { setImmediate } from "node:timers/promises";
import type { ApproveCall } from "../app.ts";
import { say, type Text } from "../core/locale.ts";
import { printableLine } from "../core/printable.ts";
import { askLine, type Reader } from "./reader.ts";
import { showArguments } from "./show-arguments.ts";
import { readYesNo } from "./yes-no.ts";

/**
 * Asks at a terminal whether a call may run: once, for the whole conversation where that is offered, or not. The end of the
 * input and `/exit` are a no; everything else is asked again.
 */
export function createApproveCall(reader: Reader): ApproveCall {
  const { locale, write, leave } = reader;
  return async ({ tool, arguments: args, rule, onlyOnce }, signal) => {
    // The start of the call has been told as an event, and is on the screen once that has been read.
    await setImmediate();
    const head = { zh: `🔐 需要同意 · ${tool} · 规则 ${rule}`, en: `🔐 needs consent · ${tool} · rule ${rule}` };
    write(printableLine(say(locale, head)));
    write(showArguments(args, locale));
    const query = say(locale, question(printableLine(tool), onlyOnce));
    for (;;) {
      const line = (await askLine(reader, query, signal))?.trim().toLowerCase();
      if (line === undefined) return "no";
      if (line === "/exit") {
        leave?.();
        return "no";
      }
      const answer = readYesNo(line);
      if (answer !== undefined) return answer ? "once" : "no";
      if (!onlyOnce && always.has(line)) return "conversation";
      if (line !== "") write(say(locale, wanted(onlyOnce, leave !== undefined)));
    }
  };
}

/** It names the tool again: long arguments may have pushed the first line off the screen. */
function question(tool: string, onlyOnce: boolean): Text {
  return {
    zh: `允许执行 ${tool}？[${onlyOnce ? "y/n" : "y 这一次/a 本次对话中都允许/n"}] `,
    en: `Let ${tool} run? [${onlyOnce ? "y/n" : "y once/a always in this conversation/n"}] `,
  };
}

function wanted(onlyOnce: boolean, canLeave: boolean): Text {
  return {
    zh: `请输入 ${onlyOnce ? "y 或 n" : "y、a 或 n"}${canLeave ? "；/exit 拒绝并退出" : ""}。`,
    en: `Type ${onlyOnce ? "y or n" : "y, a or n"}${canLeave ? "; /exit says no and leaves" : ""}.`,
  };
}

const always: ReadonlySet<string> = new Set(["a", "always", "都允许", "总是"]);
