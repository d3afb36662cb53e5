import type { OnModelEvent } from "../../../core/model/model.ts";
import { DuetError } from "../../../kit/errors.ts";

/** Limits the text of one turn, in UTF-16 units. It is several times what models write that respect their own limits. */
export const longestTurn = 4_000_000;

/** Each piece counts this many units besides its text. */
const pieceWeight = 16;

/** Passes on the events of a turn. Ends it with `bad_response` when a model, or whatever replaces it, does not stop writing. */
export function limitTurn(onEvent: OnModelEvent, name: string): OnModelEvent {
  let said = 0;
  return (event) => {
    if (event.type === "text-delta" || event.type === "reasoning-delta") {
      said += pieceWeight + event.text.length;
      if (said > longestTurn) throw tooLongReplyError(name);
    }
    onEvent(event);
  };
}

function tooLongReplyError(name: string): DuetError {
  const most = longestTurn.toLocaleString("en");
  return new DuetError({
    code: "bad_response",
    text: {
      zh: `${name} 的回复超过 ${most} 个字符，已停止读取`,
      en: `${name} wrote more than ${most} characters in one reply; the rest was not read`,
    },
  });
}
