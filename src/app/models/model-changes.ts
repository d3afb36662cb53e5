import type { ModelParameters } from "../../config/models/resolve-model.ts";

export type { ModelParameters };

/** What somebody changes of the configured models while the program runs. */
export interface ModelChanges {
  /** `provider/model`, which of a configured model means that one as it is configured, or the JSON of AGENT_FUNCTION_CALL_MODEL. */
  functionCall?: string | undefined;
  /** The same for the answer; null: the function-call model answers too. */
  answer?: string | null | undefined;
  /** Over the parameters of each role; where one model plays both, those of `answer` count. */
  parameters?: { functionCall?: ModelParameters | undefined; answer?: ModelParameters | undefined } | undefined;
}
