import type { ModelEvent } from "../../core/model.ts";
import { DuetError } from "../../kit/errors.ts";

/** What one turn may say, in UTF-16 units: several times what models may write that keep their own limits. */
export const longestTurn = 4_000_000;

/** What a piece takes beside its text. */
const pieceWeight = 16;

/** The events of a turn. Throws `bad_response` where a model, or whatever stands for it, writes on and on. */
export async function* limitTurn(events: AsyncIterable<ModelEvent>, name: string): AsyncGenerator<ModelEvent> {
  let said = 0;
  for await (const event of events) {
    if (event.type === "text-delta" || event.type === "reasoning-delta") said += pieceWeight + event.text.length;
    if (said > longestTurn) throw tooLong(name);
    yield event;
  }
}

function tooLong(name: string): DuetError {
  const most = longestTurn.toLocaleString("en");
  return new DuetError({
    code: "bad_response",
    text: {
      zh: `${name} 的回复超过 ${most} 个字符，已停止读取`,
      en: `${name} wrote more than ${most} characters in one reply, which was read no further`,
    },
  });
}
