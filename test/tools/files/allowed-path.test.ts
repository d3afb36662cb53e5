import { execFileSync } from "node:child_process";
import { mkdir, realpath, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findAllowed, isAllowed, isPrivate, resolveRoots } from "../../../src/tools/files/allowed-path.ts";
import { openAllowed } from "../../../src/tools/files/walk-files.ts";
import { temporaryFiles } from "../builtin/files.ts";

const layout = {
  "root/a.txt": "A",
  "root/sub/b.txt": "B",
  "root/.env": "SECRET",
  "root-secret/x.txt": "X",
  "outside.txt": "O",
};

describe("findAllowed", () => {
  test("finds what lies under a root, relative or absolute", async () => {
    await using files = await temporaryFiles(layout);
    const root = join(files.path, "root");
    for (const path of ["a.txt", "./a.txt", "sub/../a.txt", join(root, "a.txt")]) {
      expect(await findAllowed(path, [root])).toBe(join(root, "a.txt"));
    }
    expect(await findAllowed(".", [root])).toBe(root);
  });

  test("finds nothing else, existing or not", async () => {
    await using files = await temporaryFiles(layout);
    const root = join(files.path, "root");
    await symlink(files.path, join(root, "up"));
    await symlink("/etc", join(root, "etc"));
    await symlink("loop", join(root, "loop"));
    const outside = [
      "../outside.txt",
      "../nothing.txt",
      "/etc/passwd",
      "~/x",
      "~",
      "a.txt\0",
      "\0",
      "../root-secret/x.txt",
    ];
    const tricks = [
      "up/outside.txt",
      "etc/passwd",
      "loop",
      "%2e%2e/outside.txt",
      "..\\outside.txt",
      "C:\\x",
      "",
      "sub/../../outside.txt",
    ];
    const hidden = [".env", "./sub/../.env", join(root, ".env"), "up/root/.env"];
    for (const path of [
      ...outside,
      ...tricks.filter((path) => path !== ""),
      ...hidden,
      join(files.path, "root-secret/x.txt"),
    ]) {
      expect(await findAllowed(path, [root]), path).toBeUndefined();
    }
  });

  test("follows a link that stays inside", async () => {
    await using files = await temporaryFiles(layout);
    const root = join(files.path, "root");
    await symlink("sub/b.txt", join(root, "link"));
    expect(await findAllowed("link", [root])).toBe(join(root, "sub/b.txt"));
  });

  test("never leads outside, whatever the path", async () => {
    await using files = await temporaryFiles(layout);
    const root = join(files.path, "root");
    await symlink("..", join(root, "sub/out"));
    const part = fc.constantFrom(
      "..",
      ".",
      "a.txt",
      "sub",
      "out",
      "root",
      "root-secret",
      "x.txt",
      "outside.txt",
      ".env",
      "",
      "~",
      files.path,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), fc.boolean(), async (parts, absolute) => {
        const found = await findAllowed(`${absolute ? "/" : ""}${parts.join("/")}`, [root]);
        if (found === undefined) return;
        expect(found === root || found.startsWith(`${root}/`)).toBe(true);
        expect(await realpath(found)).toBe(found);
        expect(found).not.toContain(".env");
      }),
    );
  });
});

describe("openAllowed", () => {
  test("opens a regular file", async () => {
    await using files = await temporaryFiles(layout);
    const handle = await openAllowed(join(files.path, "root/a.txt"), [join(files.path, "root")]);
    expect(await handle?.readFile("utf8")).toBe("A");
    await handle?.close();
  });

  test("opens no link, directory or pipe, and does not wait for one", async () => {
    await using files = await temporaryFiles(layout);
    const root = join(files.path, "root");
    await symlink("a.txt", join(root, "link"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    for (const name of ["link", "sub", "pipe", "nothing"])
      expect(await openAllowed(join(root, name), [root]), name).toBeUndefined();
    expect(await openAllowed("/dev/zero", ["/dev"])).toBeUndefined();
  });

  test("does not follow a directory that was swapped for a link after the check", async () => {
    await using files = await temporaryFiles({ ...layout, "elsewhere/b.txt": "STOLEN" });
    const root = join(files.path, "root");
    const checked = await findAllowed("sub/b.txt", [root]);
    expect(checked).toBe(join(root, "sub", "b.txt"));
    await rename(join(root, "sub"), join(root, "gone"));
    await symlink(join(files.path, "elsewhere"), join(root, "sub"));
    expect(await openAllowed(checked ?? "", [root])).toBeUndefined();
  });
});

test("roots are resolved, and one inside another is left out", async () => {
  await using files = await temporaryFiles(layout);
  await mkdir(join(files.path, "real"));
  await symlink("real", join(files.path, "linked"));
  const roots = ["root", "root/sub", "linked", "missing", "root"].map((name) => join(files.path, name));
  expect(await resolveRoots(roots)).toEqual([join(files.path, "root"), join(files.path, "real")]);
  await rm(join(files.path, "real"), { recursive: true });
});

test("a root whose name only begins like another one is a root of its own", async () => {
  await using files = await temporaryFiles(layout);
  const roots = ["root", "root-secret"].map((name) => join(files.path, name));
  expect(await resolveRoots(roots)).toEqual(roots);
});

test.each(["/proc/self/environ", "/proc", "/sys/kernel", "/dev/stdin"])(
  "%s is no file of a user's, also where all of the disk is a root",
  (path) => expect(isAllowed(path, ["/"])).toBe(false),
);

test("a folder that only begins like one of the kernel's is as good as any other", () => {
  for (const path of ["/process/a.txt", "/srv/proc/a.txt", "/developer"]) expect(isAllowed(path, ["/"])).toBe(true);
});

test.each([
  ".env",
  ".ENV",
  ".git",
  "prod.env",
  "server.pem",
  "id_rsa",
  "id_ed25519.pub",
  "credentials.json",
  "secrets.yaml",
  "duet.config.json",
  "ID_RSA",
  "Server.PEM",
  "Secrets.YAML",
])("%s is private", (name) => expect(isPrivate(name)).toBe(true));

test.each(["environment.ts", "keyboard.txt", "credentials.ts", "a.env.md", "README"])("%s is not private", (name) =>
  expect(isPrivate(name)).toBe(false),
);

test("a path is looked for in the folder where we run, too, where that lies inside a root", async () => {
  const roots = await resolveRoots([".."]);
  expect(await findAllowed("package.json", roots)).toBe(await realpath("package.json"));
  expect(await findAllowed("package.json", await resolveRoots(["src"]))).toBeUndefined();
});
