import { isExistingFile } from "../../../config/sources/find-file.ts";
import { DuetError } from "../../../kit/errors.ts";
import { type Host, hostNames, hosts } from "../hosts.ts";
import { joinPath, type Machine } from "../machine.ts";

/** Locates a host's file, which may not exist yet. */
export interface FileLocation {
  file: string;
  /** Is true when the file's folder exists, which means that the host has run on this machine. */
  isHostThere: boolean;
}

/**
 * Chooses the file of the user's servers, or that of the project in the current directory. Throws a `config` error for a host
 * that has no project files.
 */
export async function chooseFile(host: Host, machine: Machine, isProject: boolean): Promise<FileLocation> {
  if (isProject) {
    if (host.projectFile === undefined) throw missingProjectFileError(host);
    return { file: joinPath(machine, machine.directory, ...host.projectFile), isHostThere: true };
  }
  const files = host.files(machine);
  for (const file of files) if (await isExistingFile(joinPath(machine, file, ".."))) return { file, isHostThere: true };
  return { file: files[0] ?? "", isHostThere: false };
}

function missingProjectFileError({ title }: Host): DuetError {
  const able = hostNames.filter((name) => hosts[name].projectFile !== undefined).join(", ");
  return new DuetError({
    code: "config",
    text: {
      zh: `--project: ${title} 没有项目文件（允许：${able}）`,
      en: `--project: ${title} has no project files (allowed: ${able})`,
    },
  });
}
