import type { Duet } from "../../../app/open-duet.ts";
import { toModelName } from "../../../core/model.ts";
import type { ChatSettings } from "../chat-state.ts";

/** Provides the names of the models in force as soon as they are known. The prompt does not wait for them. */
export interface ModelNames {
  /** Returns `functionCall → answer`, or the one model that plays both roles. It is empty while they are not known. */
  line(): string;
  refresh(): void;
}

export function createModelNames(
  duet: Pick<Duet, "models">,
  settings: Pick<ChatSettings, "models">,
  changed: () => void,
): ModelNames {
  let line = "";
  let asked = 0;
  return {
    line: () => line,
    refresh() {
      asked += 1;
      const mine = asked;
      duet.models(settings.models).then(
        ({ functionCall, answer }) => {
          if (mine !== asked) return;
          line =
            functionCall === answer ? toModelName(answer) : `${toModelName(functionCall)} → ${toModelName(answer)}`;
          changed();
        },
        // What is wrong with them is told by the question that needs them.
        () => {},
      );
    },
  };
}
