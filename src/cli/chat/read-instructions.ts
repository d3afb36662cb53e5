import type { Config } from "../../config/config.ts";
import type { FolderInstructions } from "../../core/folder-instructions.ts";
import { pickOne } from "../questions/pick-one.ts";
import type { ChatSettings } from "./chat.ts";
import type { ChatInterface } from "./interface/chat-interface.ts";
import { renderFailure } from "./run-command.ts";
import type { Tasks } from "./tasks.ts";

export interface InstructionsOptions {
  config: Config;
  settings: Pick<ChatSettings, "locale">;
  chatInterface: Pick<ChatInterface, "reader" | "write">;
  tasks: Pick<Tasks, "run">;
  signal: AbortSignal;
}

/** Reads the instructions of the working folder; a person is asked about those that are new. What fails is a line. */
export async function readInstructions(options: InstructionsOptions): Promise<FolderInstructions[]> {
  const { config, settings, chatInterface, tasks, signal } = options;
  const { reader, write } = chatInterface;
  const { askForInstructions, readTrustedInstructions } = await import("../instructions/folder-instructions.ts");
  const { locale } = settings;
  try {
    if (!reader) return await readTrustedInstructions({ config, locale, write() {} });
    return await askForInstructions({ config, locale, write }, (picking) =>
      tasks.run((stop) => pickOne(reader, picking, stop)),
    );
  } catch (thrown) {
    write(renderFailure(thrown, settings.locale, signal));
    return [];
  }
}
