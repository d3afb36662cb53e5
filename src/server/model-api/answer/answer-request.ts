import type { Attachment } from "../../../core/attachment.ts";
import type { ClientToolCall, ClientToolDefinition, GivenStep } from "../../../core/client-tools.ts";
import type { ResponseFormat, ToolChoice } from "../../../core/model/model.ts";
import type { Mode } from "../../../core/run/outcome.ts";
import type { Text } from "../../../kit/locale.ts";

/**
 * Represents a request of a program that takes Duet for a model, whatever its wire (Chat Completions, Responses, Messages). A wire
 * reads its body into one of these, `openAnswer` opens the run for it, and `streamAnswer` or `waitForAnswer` gives the answer as
 * events that the wire writes in its own form.
 */
export interface AnswerRequest {
  /** Is the model's name as the client sent it. */
  model: string;
  mode: Mode;
  conversation: RequestConversation;
  /** Lists the client's own tools. */
  tools: readonly ClientToolDefinition[];
  toolChoice: ToolChoice | undefined;
  /** Is false where the client takes one call at a time. */
  callsInParallel: boolean;
  /** Is the form of the answer, and absent for a text. */
  format: Exclude<ResponseFormat, { type: "text" }> | undefined;
  /** Ends the answer before the first of these texts. */
  stop: readonly string[] | undefined;
  temperature: number | undefined;
  topP: number | undefined;
  /** Limits the output of the answer, in tokens. */
  maxTokens: number | undefined;
  /** In chat mode, true searches the web first. */
  search: boolean | undefined;
  /** Says how much the client gets of what the run does beside its answer. The model's name or `serve.modelApi` says it where this is absent. */
  reasoning?: ReasoningDetail | undefined;
  /** Is true where the client wants the answer as a stream. */
  isStreamed?: boolean | undefined;
  /**
   * Keeps the run in a conversation of ours: this one, or a new one where it has no ID. The conversation's own turns are then the
   * history. Without it nothing is kept, and the request brings its history.
   */
  storage?: { conversationId: string | undefined } | undefined;
  /** Is true for a run that goes on when its client leaves. */
  isBackground?: boolean | undefined;
  /** Names the wire's fields in errors. */
  fields: RequestFields;
}

/** With `brief`, the steps are a line each; thoughts, arguments and results are left out. */
export type ReasoningDetail = "none" | "brief" | "full";

/** Holds what fields are called on the wire of a request, as paths in its body. */
export interface RequestFields {
  messages: string;
  /** Says how a request brings the calls whose results it has. */
  callsBeforeResults: Text;
  schema: string;
  temperature: string;
  topP: string;
  /** Names the field that says which tool is to be called. */
  toolChoice: string;
  /** Names a field of a tool by the tool's place in `tools`. */
  toToolField(index: number, field: "name" | "inputSchema"): string;
}

/** Represents one message as a wire has read it. */
export type ModelMessage =
  | { role: "instruction"; text: string }
  | { role: "user"; text: string; files: readonly WireFile[] }
  | { role: "assistant"; text: string; calls: readonly ClientToolCall[] }
  | { role: "tool"; result: ClientResult };

/** Represents a file of a message: its bytes, or where they are. `place` names its field in errors. */
export type WireFile = { place: string } & ({ attachment: Attachment } | { url: string });

/** Represents what a client's tool has returned. */
export interface ClientResult {
  callId: string;
  text: string;
  files: readonly WireFile[];
  isError: boolean;
}

/** Holds what a run takes from a client's messages. */
export interface RequestConversation {
  /** Is the user's last message. */
  question: string;
  /** Holds the images and files of that message. */
  files: readonly WireFile[];
  /** Holds the messages before the question. */
  history: readonly RequestTurn[];
  /** Holds the calls of the client's tools that were made for the question before, with their results. */
  steps: readonly GivenStep[];
  /** Holds the text of the client's system messages. */
  instruction: string | undefined;
  /** Tells the reader what was left out. */
  notes: Text[];
  /** Holds the words of all messages in their order, by which a page's own request is known. */
  said: readonly SaidMessage[];
  /** Holds the numbers of the documents that the messages bring. */
  documents: ReadonlySet<number>;
  /** Stands before the answer, where that goes on with one which ends with a line of ours. */
  lead: string;
}

/** Represents the words of one message. */
export interface SaidMessage {
  role: ModelMessage["role"];
  text: string;
}

/** Represents an earlier question with its answer. */
export interface RequestTurn {
  question: string;
  answer: string;
  steps: readonly GivenStep[];
  files: readonly WireFile[];
}
