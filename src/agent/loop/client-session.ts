import type { CallClient, ClientReply, ClientTools } from "../../core/client-tools.ts";
import type { ClientInstruction } from "./client-instruction.ts";

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
