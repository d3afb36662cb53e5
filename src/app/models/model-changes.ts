import type { ModelParameters } from "../../config/models/resolve-model.ts";

export type { ModelParameters };

export interface ModelChanges {
  /**
   * Is `provider/model`, or the JSON of AGENT_FUNCTION_CALL_MODEL. The name of a configured model selects it with its
   * configuration.
   */
  functionCall?: string | undefined;
  /** Is the same for the answer role. With null, the function-call model also answers. */
  answer?: string | null | undefined;
  /** Overrides the parameters of each role. Where one model plays both, those of `answer` apply. */
  parameters?: { functionCall?: ModelParameters | undefined; answer?: ModelParameters | undefined } | undefined;
}
