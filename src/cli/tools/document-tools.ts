import { toToolDocuments } from "../../app/tool-documents.ts";
import type { Config } from "../../config/load-config.ts";
import type { ToolsOptions } from "./list-tools.ts";

/** Writes a document of every tool the agent would have, as Markdown. */
export async function documentTools(options: Omit<ToolsOptions, "output"> & { config: Config }): Promise<number> {
  const { duet, config, console, signal } = options;
  const { tools } = await duet.inventory(signal);
  console.stdout.write(toToolDocuments(tools, duet.locale, config.tools.ask));
  return 0;
}
