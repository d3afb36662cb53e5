import type { JsonObject, JsonSchema } from "../../kit/json.ts";

/** Asks the person for input on behalf of a program that we call (MCP elicitation). All of it is untrusted text. */
export type Elicitation =
  | {
      kind: "form";
      /** Holds the configured name of the server that asks. */
      from: string;
      message: string;
      /** Describes a flat object of texts, numbers, booleans and choices, as MCP defines it. */
      schema: JsonSchema;
    }
  | {
      kind: "url";
      from: string;
      message: string;
      /** The person is asked to open this URL. Its scheme is `https`, or `http` on this machine. It is never opened unasked. */
      url: string;
    };

export type ElicitationReply =
  | { action: "accept"; content?: JsonObject }
  /** A person answers `decline`. `cancel` means that there was no answer in time or nobody to ask. */
  | { action: "decline" | "cancel" };

/** Shows a question to a person and waits for the answer. Rejects only when the signal aborts. */
export type AskElicitation = (question: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;

/** Asks on behalf of a tool. Never rejects, and ends in time. When the signal aborts, the question is withdrawn with `cancel`. */
export interface Elicit {
  (question: Elicitation, signal?: AbortSignal): Promise<ElicitationReply>;
  /** Stands for whoever is asked: functions with the same one ask the same person. The function itself when absent. */
  readonly person?: object | undefined;
}
