import type { CallClient, ClientReply, ClientTools } from "../../../core/client-tools.ts";
import type { Message } from "../../../core/model/messages.ts";

/** Holds what a run knows of the program that asks and its tools. It changes with each of the program's replies. */
export interface ClientSession {
  tools: ClientTools;
  readonly call: CallClient;
  /** Says for the next turn whether the model may, must or must not call a tool. */
  toolChoice?: ClientReply["toolChoice"];
  /** Lists what the user has said beside the results, and the model has not read yet. */
  said: readonly string[];
  instruction?: ClientInstruction;
}

/** Holds what a run's models are told of the program's instruction, which may come, change and go with each of its requests. */
export interface ClientInstruction {
  /** Is the message after which the instruction stands; absent where it comes first. */
  readonly messageBefore: Message | undefined;
  /** Holds the messages with the instruction as it is now, and is empty where there is none. */
  readonly messages: readonly Message[];
  /** Holds the messages with the instruction as it was before. */
  readonly outdated: ReadonlySet<Message>;
}
