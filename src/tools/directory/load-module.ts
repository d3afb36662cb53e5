import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { cutText } from "../../core/cut-text.ts";
import { type DuetError, toDuetError } from "../../core/errors.ts";
import type { Tool } from "../../core/tool.ts";
import { withTimeout } from "../limits.ts";
import { toTool } from "../own.ts";
import { refuse, toRefusal } from "./broken.ts";
import { docstringOf, firstParagraph } from "./docstring.ts";
import { importDefault } from "./import-module.ts";
import { withFailure } from "./with-failure.ts";

export interface ModuleLimits {
  /** Milliseconds that a module may take to load. */
  loadMs: number;
  /** Milliseconds of one call. */
  callMs: number;
}

/** One tool of a module, or why it cannot be used; `where` names its file and, in a list, its place. */
export type Loading = { where: string } & ({ tool: Tool } | { error: DuetError });

/** Characters of a description that does not stand in the export. */
const longestDescription = 1000;
/** Bytes of a file in which a description is looked for. */
const mostBytes = 1_000_000;

/** What a module exports, each tool inside its limits. Never rejects. */
export async function loadModule(directory: string, file: string, limits: ModuleLimits): Promise<Loading[]> {
  try {
    const exported = await importDefault(join(directory, file), file, limits.loadMs);
    const list: unknown[] = Array.isArray(exported) ? exported : [exported];
    if (list.length === 0) throw refuse(file, noTools);
    const described = list.length === 1 ? await describe(directory, file) : "";
    return await Promise.all(
      list.map(async (own, index) => {
        const where = Array.isArray(exported) ? `${file}[${index}]` : file;
        const tool = { own, where, described };
        return readTool(tool, limits).then(
          (read) => ({ where, tool: read }),
          (thrown: unknown) => ({ where, error: toRefusal(where, thrown) }),
        );
      }),
    );
  } catch (thrown) {
    return [{ where: file, error: toRefusal(file, thrown) }];
  }
}

interface Exported {
  own: unknown;
  where: string;
  described: string;
}

async function readTool({ own, where, described }: Exported, { callMs }: ModuleLimits): Promise<Tool> {
  const tool = await toTool(own, where, described);
  if (tool.description.trim() === "") throw refuse(where, noDescription);
  const { compileSchema } = await import("../compile-schema.ts");
  try {
    compileSchema(tool.inputSchema);
  } catch (thrown) {
    throw refuse(where, toDuetError(thrown).text, thrown);
  }
  return withFailure(withTimeout(tool, callMs));
}

/** What is said of a module's tool beside its export: by its docstring, else by `NAME.md`; empty where neither does. */
async function describe(directory: string, file: string): Promise<string> {
  const said = docstringOf(await read(join(directory, file)), file);
  const document = join(directory, file.replace(/\.m?[jt]s$/, ".md"));
  return cutText(said === "" ? firstParagraph(await read(document)) : said, longestDescription);
}

/** Empty for what is no file, such as a pipe, or too large to be looked through. */
async function read(path: string): Promise<string> {
  const status = await stat(path).catch(() => undefined);
  const isReadable = status?.isFile() === true && status.size <= mostBytes;
  return isReadable ? await readFile(path, "utf8").catch(() => "") : "";
}

const noTools = { zh: "默认导出是空的列表", en: "its default export is a list without a tool" };
const noDescription = {
  zh: "没有 description（可写在导出中、文件开头的 /** … */ 注释中，或同名的 .md 文件中）",
  en: "has no description (in the export, in a /** … */ comment at the head, or in a .md file of the same name)",
};
