import type { JsonObject, JsonSchema } from "../../kit/json.ts";

/** What a program below wants to know from the person above (MCP's elicitation); all of it untrusted text. */
export type Elicitation =
  | {
      kind: "form";
      /** The configured name of the server that asks. */
      from: string;
      message: string;
      /** A flat object of texts, numbers, booleans and choices, as MCP has it. */
      schema: JsonSchema;
    }
  | {
      kind: "url";
      from: string;
      message: string;
      /** Where the person is to go, with a scheme of `https`, or `http` on this machine; never opened unasked. */
      url: string;
    };

export type ElicitationReply =
  | { action: "accept"; content?: JsonObject }
  /** `decline` is a person's no; `cancel` is nobody's word: no answer in time, or nobody to ask. */
  | { action: "decline" | "cancel" };

/** Shows a question to a person and waits for the answer. Rejects only when the signal aborts. */
export type AskElicitation = (question: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;

/** The same as a tool sees it: never rejects, and ends in time. The signal withdraws the question, which is a `cancel`. */
export interface Elicit {
  (question: Elicitation, signal?: AbortSignal): Promise<ElicitationReply>;
  /** Stands for whoever is asked: functions with the same one ask the same person. The function itself when absent. */
  readonly person?: object | undefined;
}
