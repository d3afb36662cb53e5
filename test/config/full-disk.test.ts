import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { writeStarterFile, writeUsersStarterFile } from "../../src/config/starter-file.ts";
import { mayMountDisks, requires } from "../runner/requirements.ts";
import { workplace } from "./workplace.ts";

describe("on a full disk", requires(mayMountDisks()), () => {
  test("a starter file is not left there empty, and is written once there is room", async () => {
    const folder = workplace();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", folder]);
    onTestFinished(() => void execFileSync("umount", ["-l", folder]));
    const filler = join(folder, "filler");
    expect(() => writeFileSync(filler, new Uint8Array(100_000))).toThrow("ENOSPC");
    const file = join(folder, "duet.config.json");
    for (const write of [writeStarterFile, writeUsersStarterFile])
      await expect(write(file, "en")).rejects.toMatchObject({ code: "ENOSPC" });
    expect(readdirSync(folder)).toEqual(["filler"]);
    rmSync(filler);
    await writeStarterFile(file, "en");
    expect(readdirSync(folder)).toEqual(["duet.config.json"]);
  });
});
