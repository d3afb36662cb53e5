import { resolve } from "node:path";
import { hostNames } from "../../src/cli/install/hosts.ts";
import { load } from "../../src/cli/with-duet.ts";
import { serveOptions, sharedOptions } from "../options.ts";
import { readExpose, refusedFlagError, toFlags, toOptionText, type Values } from "../read-options.ts";
import { type Action, type CommandRow, yes } from "./command.ts";

export const installCommand: CommandRow = {
  name: "install",
  help: {
    zh: "把 Duet 加入一个宿主：显示对其文件的修改，询问，保留备份；不写宿主或用 --list 时列出宿主",
    en: "adds Duet to a host: shows the change to its file, asks, keeps a backup; without a host or with --list, lists the hosts",
  },
  positionals: [{ name: "host", choices: hostNames }],
  options: {
    list: {
      type: "boolean",
      describe: {
        zh: "列出宿主以及找到了哪些，与不写宿主时相同",
        en: "lists the hosts and which of them are found, as it does without a host",
      },
    },
    name: {
      type: "string",
      describe: { zh: "服务器在宿主中的名字（duet）", en: "the server's name in the host (duet)" },
    },
    project: {
      type: "boolean",
      describe: { zh: "用于这个文件夹中的项目，而不是用户", en: "for the project in this folder, not for the user" },
    },
    agent: {
      type: "boolean",
      describe: { zh: "让编辑器把 Duet 作为智能体启动（zed）", en: "the editor starts Duet as its agent (zed)" },
    },
    expose: serveOptions.expose,
    "list-limit": serveOptions["list-limit"],
    "with-env": {
      type: "boolean",
      describe: {
        zh: "把配置用到的变量的值写入条目",
        en: "writes the values of the variables that the configuration uses into the entry",
      },
    },
    "dry-run": { type: "boolean", describe: { zh: "只显示修改", en: "only shows the change" } },
    remove: { type: "boolean", describe: { zh: "从宿主中移除 Duet", en: "removes Duet from a host" } },
    yes,
  },
  run: install,
};

/** Puts Duet into a host's file, or lists the hosts. */
function install(values: Values): Action {
  const flags = toFlags(values);
  const name = readServerName(values);
  readExpose(values);
  refuseServing(values);
  return async ({ console, signal }) => {
    const [{ findMachine }, { findProgram }, { getFallbackLocale, getProgramPaths }] = await Promise.all([
      import("../../src/cli/install/machine.ts"),
      import("../../src/cli/install/launch.ts"),
      import("../../src/config/load-config.ts"),
    ]);
    const machine = await findMachine({ platform: process.platform, ...getProgramPaths() });
    const host = values.list === true ? undefined : hostNames.find((each) => each === values.host);
    const write = (lines: string): void => void console.stdout.write(lines);
    if (host === undefined) {
      const { listHosts } = await import("../../src/cli/install/list-hosts.ts");
      write(await listHosts(machine, { name, isProject: values.project === true }, getFallbackLocale(flags)));
      return 0;
    }
    const isRemoval = values.remove === true;
    const [config, { runInstall }, { openTrustQuestion }] = await Promise.all([
      isRemoval ? undefined : load(flags, console),
      import("../../src/cli/install/install.ts"),
      import("../../src/cli/trust/trust-question.ts"),
    ]);
    const person = openTrustQuestion(console, signal);
    try {
      return await runInstall({
        ...{ host, name, machine, config, isRemoval, write },
        isProject: values.project === true,
        isAgent: values.agent === true,
        isDryRun: values["dry-run"] === true,
        yes: values.yes === true,
        withValues: values["with-env"] === true,
        words: toServeArguments(values),
        program: await findProgram(machine, process.execPath, resolve(process.argv[1] ?? "")),
        locale: config?.locale ?? getFallbackLocale(flags),
        now: new Date(),
        ...(person && { confirm: person.confirm }),
      });
    } finally {
      person?.close();
    }
  };
}

/** Returns the agent's flags in the form in which the host passes them to the server. `--config` is handled separately. */
function toServeArguments(values: Values): string[] {
  const own = ["config", "no-color", "verbose"];
  const names = [...Object.keys(sharedOptions), ...Object.keys(serveOptions)].filter((name) => !own.includes(name));
  return names.flatMap((name) => {
    const value = values[name];
    if (typeof value === "string") return [`--${name}`, value];
    return value === true ? [`--${name}`] : [];
  });
}

/** An agent serves no tools. Throws a `config` error for flags about them. */
function refuseServing(values: Values): void {
  const name = ["expose", "list-limit"].find((each) => values[each] !== undefined);
  if (values.agent !== true || name === undefined) return;
  throw refusedFlagError(name, String(values[name]), { zh: "不与 --agent 一起用", en: "not with --agent" });
}

function readServerName(values: Values): string {
  const name = toOptionText(values.name) ?? "duet";
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  throw refusedFlagError("name", JSON.stringify(name), {
    zh: "1 到 64 个字母、数字、_ 和 -",
    en: "1 to 64 letters, digits, _ and -",
  });
}
