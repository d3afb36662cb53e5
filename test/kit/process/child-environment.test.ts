import { describe, expect, test } from "vitest";
import { createChildEnvironment, type Host } from "../../../src/kit/process/child-environment.ts";

const linux: Host = { platform: "linux", execPath: "/home/me/.nvm/v24/bin/node" };
const windows: Host = { platform: "win32", execPath: "C:\\nvm\\v24\\node.exe" };

test.each([
  [undefined, "1"],
  ["0", "1"],
  ["2", "3"],
  ["", "1"],
  ["many", "1"],
])("below a Duet whose DUET_DEPTH is %j it is %s", (depth, below) => {
  expect(createChildEnvironment({ DUET_DEPTH: depth }).DUET_DEPTH).toBe(below);
});

describe("what passes", () => {
  const ours = {
    HOME: "/home/me",
    LANG: "zh_CN.UTF-8",
    PATH: "/bin:/home/me/.nvm/v24/bin",
    OPENAI_API_KEY: "sk-secret",
    HTTPS_PROXY: "http://proxy",
    AWS_SECRET: "s",
    SHELL: "() { :; }; touch /tmp/x",
    npm_config_registry: "http://evil",
  };

  test("are the variables that every program needs, and none that could be a secret", () => {
    expect(createChildEnvironment(ours, {}, linux)).toEqual({
      HOME: "/home/me",
      LANG: "zh_CN.UTF-8",
      PATH: "/bin:/home/me/.nvm/v24/bin",
      DUET_DEPTH: "1",
    });
  });

  test("are those that are named; one that is not set stays unset", () => {
    const environment = createChildEnvironment(ours, { inheritEnv: ["HTTPS_PROXY", "NO_PROXY"] }, linux);
    expect(environment.HTTPS_PROXY).toBe("http://proxy");
    expect(environment).not.toHaveProperty("NO_PROXY");
    expect(environment).not.toHaveProperty("OPENAI_API_KEY");
  });

  test("are the server's own, over all others", () => {
    const passed = { env: { HOME: "/srv", DUET_DEPTH: "9", PATH: "/only" }, inheritEnv: ["AWS_SECRET"] };
    expect(createChildEnvironment(ours, passed, linux)).toMatchObject({
      HOME: "/srv",
      DUET_DEPTH: "9",
      PATH: "/only",
      AWS_SECRET: "s",
    });
  });

  test("on Windows are those of Windows, however their names are written", () => {
    const environment = createChildEnvironment(
      { Path: "C:\\bin", SystemRoot: "C:\\Windows", HOME: "/x", Http_Proxy: "http://proxy", SECRET: "s" },
      { env: { path: "D:\\own" }, inheritEnv: ["HTTP_PROXY"] },
      windows,
    );
    expect(environment).toEqual({
      PATH: "D:\\own",
      SYSTEMROOT: "C:\\Windows",
      HTTP_PROXY: "http://proxy",
      DUET_DEPTH: "1",
    });
  });
});

describe("PATH", () => {
  test.each([
    ["/usr/bin:/bin", "/usr/bin:/bin:/home/me/.nvm/v24/bin"],
    ["/home/me/.nvm/v24/bin:/bin", "/home/me/.nvm/v24/bin:/bin"],
    ["", "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin:/home/me/.nvm/v24/bin"],
    [undefined, "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin:/home/me/.nvm/v24/bin"],
  ])("%j has the directory of our own Node at its end", (path, expected) => {
    expect(createChildEnvironment({ PATH: path }, {}, linux).PATH).toBe(expected);
  });

  test("on Windows is parted by semicolons", () => {
    expect(createChildEnvironment({ Path: "C:\\a;C:\\b" }, {}, windows).PATH).toBe("C:\\a;C:\\b;C:\\nvm\\v24");
  });
});
