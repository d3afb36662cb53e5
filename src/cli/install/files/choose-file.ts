import { isThere } from "../../../config/sources/find-file.ts";
import { DuetError } from "../../../kit/errors.ts";
import { type Host, hostNames, hosts } from "../hosts.ts";
import { joinOn, type Machine } from "../machine.ts";

/** A host's file, there or not. */
export interface Place {
  file: string;
  /** Whether its folder is there: whether the host has ever run here. */
  isHostThere: boolean;
}

/** The file of the user's servers, or of the project here. Throws a `config` error for a host that knows no project files. */
export async function chooseFile(host: Host, machine: Machine, isProject: boolean): Promise<Place> {
  if (isProject) {
    if (host.projectFile === undefined) throw noProjects(host);
    return { file: joinOn(machine, machine.directory, ...host.projectFile), isHostThere: true };
  }
  const files = host.files(machine);
  for (const file of files) if (await isThere(joinOn(machine, file, ".."))) return { file, isHostThere: true };
  return { file: files[0] ?? "", isHostThere: false };
}

function noProjects({ title }: Host): DuetError {
  const able = hostNames.filter((name) => hosts[name].projectFile !== undefined).join(", ");
  return new DuetError({
    code: "config",
    text: {
      zh: `--project: ${title} 没有项目文件（允许：${able}）`,
      en: `--project: ${title} has no project files (allowed: ${able})`,
    },
  });
}
