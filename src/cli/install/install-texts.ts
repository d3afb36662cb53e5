import type { Config } from "../../config/config.ts";
import type { Text } from "../../kit/locale.ts";

export const renderQuestion = (file: string): Text => ({ zh: `写入 ${file}？[y/n] `, en: `Write ${file}? [y/n] ` });

export const declined: Text = { zh: "未做修改。", en: "Nothing was changed." };

export const needsYes: Text = {
  zh: "没有可供询问的终端，未做修改：请加 --yes，或用 --dry-run 只查看改动",
  en: "nothing was changed, because there is no terminal to ask in: add --yes, or --dry-run to only show the change",
};

export const describeUnchanged = (name: string, file: string): Text => ({
  zh: `${file} 中已有 ${name}，无需修改。`,
  en: `${name} is already in ${file}: nothing to change.`,
});

export const describeNotFound = (name: string, file: string): Text => ({
  zh: `${file} 中没有 ${name}，无需修改。`,
  en: `${name} is not in ${file}: nothing to change.`,
});

export const describeWritten = (file: string, backup: string | undefined): Text => ({
  zh: `已写入 ${file}${backup === undefined ? "" : `；原文件备份为 ${backup}`}。`,
  en: `Wrote ${file}${backup === undefined ? "" : `; the previous file is kept as ${backup}`}.`,
});

/** Says what is left to do after a removal. */
export const describeRemoved = (title: string, name: string): Text => ({
  zh: `请完全退出 ${title} 再启动：在此之前它可能仍在运行 ${name}。`,
  en: `Quit ${title} and start it again: until then it may still run ${name}.`,
});

export const valuesInClear: Text = {
  zh: "变量的值会以明文写入：该文件和它的备份只有所有者可读（权限 0600）。",
  en: "The values are written in plain text: only the owner can read the file and its backup (mode 0600).",
};

export const describeMissingHost = (title: string): Text => ({
  zh: `这台机器上没有 ${title} 的文件夹：它安装了吗？`,
  en: `${title} has no folder on this machine: is it installed?`,
});

/** Lists variables that are set only in this shell's environment; a program started from a menu does not see them. */
export function describeMissingVariables(title: string, names: readonly string[], { file, dotEnv }: Config): Text {
  const list = names.join(", ");
  const zh = file === undefined ? "" : `请写入 ${dotEnv.file}，或`;
  const en = file === undefined ? "Let" : `Put the values into ${dotEnv.file}, or let`;
  return {
    zh: `${title} 多半看不到只在这个终端里的变量：${list}。${zh}用 --with-env 把值写进条目。`,
    en: `${title} will probably not see variables that only this shell has: ${list}. ${en} --with-env write them into the entry.`,
  };
}

export const fetched: Text = {
  zh: "这是 npx 临时下载的：宿主每次启动都会再运行 npx。npm install -g duet-mcp 之后再执行一次会更快。",
  en: "npx downloaded Duet for this run only, so the host will run npx each time. For a faster start, run npm install -g duet-mcp, then this command again.",
};

export const pathsInProject: Text = {
  zh: "项目文件往往会提交：其中的路径只适用于这台机器。",
  en: "Project files are often committed: the paths in this one are valid on this machine only.",
};

export const keysInProject: Text = {
  zh: "--with-env 不能与 --project 一起用：项目文件往往会提交，密钥会随之公开",
  en: "--with-env is not allowed with --project: project files are often committed, and the keys with them",
};
