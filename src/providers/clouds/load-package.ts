import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CloudPackage } from "../../core/model/model-settings.ts";
import { DuetError } from "../../kit/errors.ts";

/** Finds packages that do not come with Duet: in this folder, or else beside the program. */
export function findPackage({ name }: CloudPackage, folder: string | undefined): string | undefined {
  const places = [...(folder === undefined ? [] : [pathToFileURL(join(folder, "index.js"))]), import.meta.url];
  for (const place of places) {
    try {
      return createRequire(place).resolve(name);
    } catch {
      // The next place may have it.
    }
  }
  return undefined;
}

/** Returns the file of a package. Throws a `config` error that says how to install one that is missing. */
export function locatePackage(provider: string, wanted: CloudPackage, folder: string | undefined): string {
  const file = findPackage(wanted, folder);
  if (file === undefined) throw missingPackageError(provider, wanted, folder);
  return file;
}

/** Returns the command that installs a package where it is looked for. */
export function toInstallCommand({ name, major }: CloudPackage, folder: string | undefined): string {
  return `npm install --prefix ${JSON.stringify(folder ?? ".")} ${name}@${major}`;
}

function missingPackageError(provider: string, wanted: CloudPackage, folder: string | undefined): DuetError {
  const command = toInstallCommand(wanted, folder);
  return new DuetError({
    code: "config",
    text: {
      zh: `${provider} 需要软件包 ${wanted.name}，尚未安装`,
      en: `${provider} needs the package ${wanted.name}, which is not installed`,
    },
    hint: { zh: `请运行 ${command}`, en: `Run: ${command}` },
  });
}
