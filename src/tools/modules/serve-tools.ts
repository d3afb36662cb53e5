import { readFile, stat } from "node:fs/promises";
import type { Tool } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { DuetError, getMessage } from "../../kit/errors.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { fileRefusedError, toFileError, withFailure } from "../directory/broken-tools.ts";
import { findFirstParagraph, readDocstring } from "../directory/docstring.ts";
import { withOutputLimit } from "../tool-limits.ts";
import { toTool } from "../user-tool.ts";
import type { ModuleServer, ToolFacts, ToolReport } from "./messages.ts";
import { importDefault } from "./serve-function.ts";

/** Limits a description that is not part of the export, in characters. */
const longestDescription = 1000;
/** Limits how much of a file is searched for a description, in bytes. */
const mostBytes = 1_000_000;
/**
 * Limits a result sent to the program, in characters. It is slightly below the limit at which the program would shorten the
 * result again.
 */
const longestResult = 1_999_000;

/** Serves a module of `tools.directory`: a tool, or a list of them. Throws a `config` error where it is neither. */
export async function serveTools(path: string, file: string): Promise<ModuleServer<"tools">> {
  const exported = await importDefault(path);
  const list: unknown[] = Array.isArray(exported) ? exported : [exported];
  if (list.length === 0) throw new DuetError({ code: "config", text: noTools });
  const described = list.length === 1 ? await describe(path) : "";
  const tools = new Map<string, Tool>();
  const description = await Promise.all(
    list.map(async (own, index): Promise<ToolReport> => {
      const where = Array.isArray(exported) ? `${file}[${index}]` : file;
      try {
        const tool = await toTool(own, where, described);
        if (tool.description.trim() === "") throw fileRefusedError(where, noDescription);
        const facts = toFacts(tool, where);
        // Of two with a name the first is on offer.
        if (!tools.has(tool.name)) tools.set(tool.name, withFailure(withOutputLimit(tool, longestResult), where));
        return { where, tool: facts };
      } catch (thrown) {
        return { where, refused: toFileError(where, thrown).text };
      }
    }),
  );
  return {
    description,
    async call({ tool: name, args, locale }, context) {
      const tool = tools.get(name);
      if (tool === undefined) throw new Error(`${file} has no tool ${name} any more; restart Duet`);
      return tool.run(args, { ...context, locale, notice: () => {} });
    },
  };
}

/** Returns the properties of a tool that can be sent to another thread. */
function toFacts({ name, description, inputSchema, annotations }: Tool, where: string): ToolFacts {
  try {
    return JSON.parse(JSON.stringify({ name, description, inputSchema, annotations }));
  } catch (thrown) {
    const why = getMessage(thrown).split("\n")[0] ?? "";
    throw fileRefusedError(
      where,
      { zh: `inputSchema 不是 JSON：${why}`, en: `inputSchema is not JSON: ${why}` },
      thrown,
    );
  }
}

/**
 * Returns the description of a tool that has none in its export: the docstring, else the text of `NAME.md`. It is empty when
 * neither exists.
 */
async function describe(path: string): Promise<string> {
  const said = readDocstring(await read(path), path);
  const document = path.replace(/\.m?[jt]s$/, ".md");
  return truncate(said === "" ? findFirstParagraph(await read(document)) : said, longestDescription);
}

/** Returns an empty string for anything that is not a file, such as a pipe, or is too large. */
async function read(path: string): Promise<string> {
  const status = await ignoreRejection(stat(path), "a path that cannot be read is not readable");
  const isReadable = status?.isFile() === true && status.size <= mostBytes;
  return isReadable ? await readFile(path, "utf8").catch(() => "") : "";
}

const noTools = { zh: "默认导出是空的列表", en: "its default export is an empty list" };
const noDescription = {
  zh: "没有 description（可写在导出中、文件开头的 /** … */ 注释中，或同名的 .md 文件中）",
  en: "has no description (in the export, in a /** … */ comment at the head, or in a .md file of the same name)",
};
