import type { ModelCheck } from "../../app/models/check-models.ts";
import type { Text } from "../../kit/locale.ts";
import { findPackage, toInstallCommand } from "../../providers/clouds/load-package.ts";
import type { Finding } from "./findings.ts";

/** Reports the packages that models in use need and that do not come with Duet. */
export function checkPackages(checks: readonly ModelCheck[]): Finding[] {
  const wanted = new Map(
    checks.flatMap(({ choice }) => {
      const cloud = "wire" in choice ? choice.cloud : undefined;
      return cloud?.package === undefined ? [] : [[cloud.package.name, { ...cloud, package: cloud.package }] as const];
    }),
  );
  return [...wanted].map(([name, cloud]): Finding => {
    const file = findPackage(cloud.package, cloud.packages);
    const command = toInstallCommand(cloud.package, cloud.packages);
    const finding = { topic: "package", what: packageWord, name, details: { file: file ?? null } } as const;
    if (file !== undefined) return { ...finding, state: "ok", text: { zh: file, en: file } };
    const hint = { zh: `请运行 ${command}`, en: `Run: ${command}` };
    return { ...finding, state: "failed", text: { zh: "尚未安装。", en: "not installed." }, hint };
  });
}

const packageWord: Text = { zh: "软件包", en: "package" };
