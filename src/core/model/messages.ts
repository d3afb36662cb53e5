import type { JsonObject } from "../../kit/json.ts";

/**
 * Represents a conversation in a form that is independent of the model. Data that only its author can read (signatures, thinking
 * blocks) is kept in `native`, which a wire returns to the same model and drops for any other.
 */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Is what a message of any role may carry. */
interface MessageBase {
  /**
   * Asks the vendor to keep everything up to the end of this message in its cache, because later requests begin the same. Only
   * vendors whose requests say so look at it.
   */
  cacheMark?: true;
}

/** Is what a person or a tool says: one text, or parts in their order where there is more than text. */
export type MessageContent = string | readonly ContentPart[];

/** Holds a text, an image or a document of a message. */
export type ContentPart = TextPart | FileRef;

/** Refers to bytes that are stored beside the messages. */
export type FileRef = ImagePart | FilePart;

/** Holds a text of a message. */
export interface TextPart {
  type: "text";
  text: string;
}

/** Refers to an image, whose bytes are never part of a message. */
export interface ImagePart {
  type: "image";
  image: StoredFile;
  /** Is the size in pixels, where the format told it. */
  width?: number;
  height?: number;
}

/** Refers to a document. Models that do not take its bytes read its text. */
export interface FilePart {
  type: "file";
  file: StoredFile;
  /** Holds what the document says, as text. */
  text: string;
}

/** Names bytes that are stored once, however many messages refer to them. */
export interface StoredFile {
  /** Is the SHA-256 of the bytes, in lower-case hexadecimal digits. */
  hash: string;
  /** Is the type that the bytes show, such as `image/png`, whatever their sender called them. */
  mediaType: string;
  /** Counts the bytes. */
  size: number;
  /** Is the name that the sender gave, without folders. */
  name?: string;
}

/** Reads stored bytes. It resolves with undefined when there are none with this hash, or no longer. */
export interface FileReader {
  read(hash: string): Promise<Uint8Array | undefined>;
}

export interface SystemMessage extends MessageBase {
  role: "system";
  content: string;
}

export interface UserMessage extends MessageBase {
  role: "user";
  content: MessageContent;
}

/** Holds what a model has written: text, calls of tools, or both. */
export interface AssistantMessage extends MessageBase {
  role: "assistant";
  /** Holds the model's text without its reasoning. It may be empty beside tool calls. */
  content: string;
  reasoning?: string;
  toolCalls: ToolCall[];
  /** Is the wire's own sign of what the text is, of its last part where there are several. It is absent where the wire has none. */
  phase?: TextPhase;
  /** Names the model that wrote the message, as `provider/model`. It is absent where that is not known. */
  author?: string;
  native?: NativeTurn;
}

/** Tells words on the way, such as those beside tool calls, from the answer itself. */
export type TextPhase = "commentary" | "final_answer";

export interface ToolMessage extends MessageBase {
  role: "tool";
  callId: string;
  tool: string;
  content: MessageContent;
  ok: boolean;
  /** Is the number of the whole result in its conversation, for `read_result`. No vendor is sent it. */
  result?: number;
  /** Says what of the conversation's sources the content is. No vendor is sent it. */
  sources?: MessageSources;
}

/** Names the sources of a result, because its text can be made to look like that of others. */
export interface MessageSources {
  numbers: readonly number[];
  /** Is absent for a list of sources. */
  kind?: SourceKind | undefined;
}

/** Says how a result relates to its sources, where it is not a list of them (`ToolResult.kind`). */
export type SourceKind = "page" | "file" | "files" | "cited" | "instruction";

/** Holds a call of a tool as a model has written it. */
export interface ToolCall {
  /** Is unique within its turn. The wire generates it when the provider sent none. */
  id: string;
  name: string;
  /** Holds the arguments as the model wrote them: JSON text, never repaired. */
  argumentsText: string;
  /** Holds the parsed arguments, and is undefined when the text is not a JSON object. */
  arguments: JsonObject | undefined;
  /** Is true where `arguments` holds earlier results of a plan in place of the references that were written. */
  isFilled?: true | undefined;
}

/** Holds a turn in the wire format of its author. It is opaque to all other code. */
export interface NativeTurn {
  wire: string;
  provider: string;
  model: string;
  payload: unknown;
}
