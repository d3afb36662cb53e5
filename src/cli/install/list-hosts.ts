import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { countCells, padCells } from "../terminal/text/width.ts";
import { readServers } from "./edit-servers.ts";
import { chooseFile, readHostFile } from "./files/host-file.ts";
import { type Host, type HostName, hostNames, hosts } from "./hosts.ts";
import type { Machine } from "./machine.ts";

interface Row {
  host: string;
  file: string;
  state: Text;
}

/** Selects the users' files, or those of the project in the current directory. */
interface HostSelection {
  /** Names the server in the hosts' files. */
  name: string;
  isProject: boolean;
}

/** Lists all hosts, one line each: the file that would be changed, and whether it contains Duet. Changes nothing. */
export async function listHosts(machine: Machine, asked: HostSelection, locale: Locale): Promise<string> {
  const rows = await Promise.all(hostNames.map((host) => createRow(host, machine, asked)));
  const width = Math.max(...rows.map(({ host }) => host.length));
  const states = Math.max(...rows.map(({ state }) => countCells(say(locale, state))));
  const lines = rows.map(({ host, file, state }) => {
    const said = say(locale, state);
    return `${host.padEnd(width)}  ${padCells(said, states)}  ${sanitizeLine(file)}`.trimEnd();
  });
  return `${[...lines, say(locale, describeUsage(asked.isProject ? "HOST --project" : "HOST"))].join("\n")}\n`;
}

async function createRow(host: HostName, machine: Machine, { name, isProject }: HostSelection): Promise<Row> {
  if (isProject && hosts[host].projectFile === undefined) return { host, file: "", state: noProjects };
  const { file, isHostThere } = await chooseFile(hosts[host], machine, isProject);
  return { host, file, state: isHostThere ? await describeState(hosts[host], file, name) : notHere };
}

async function describeState(host: Host, file: string, name: string): Promise<Text> {
  try {
    const { text } = await readHostFile(file);
    if (text === undefined) return noFile;
    return Object.hasOwn(readServers(host, file, text), name)
      ? { zh: `已有 ${name}`, en: `has ${name}` }
      : describeAbsent(name);
  } catch {
    return { zh: "无法读取", en: "cannot be read" };
  }
}

const noProjects = { zh: "没有项目文件", en: "has no project files" };
const notHere = { zh: "未找到", en: "not found here" };
const noFile = { zh: "还没有文件", en: "no file yet" };
const describeAbsent = (name: string): Text => ({ zh: `没有 ${name}`, en: `without ${name}` });
const describeUsage = (words: string): Text => ({
  zh: `duet install ${words} 写入前会显示改动；--dry-run 只显示。`,
  en: `duet install ${words} shows the change before it writes; --dry-run only shows it.`,
});
