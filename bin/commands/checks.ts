import { load, loadWithState } from "../../src/cli/with-duet.ts";
import { readOutputFormat, toFlags, toOptionText, type Values } from "../read-options.ts";
import { type Action, type CommandRow, textOrJson } from "./command.ts";

export const modelsCommand: CommandRow = {
  name: "models",
  help: {
    zh: "使用中的模型：协议、限制、上下文窗口、价格，以及每个值的来源",
    en: "the models in use: wire, limits, context window, price, and where each value comes from",
  },
  options: textOrJson,
  run: runModels,
};

export const loginCommand: CommandRow = {
  name: "login",
  help: { zh: "在浏览器中登录远程服务器", en: "sign in to a remote server in the browser" },
  positionals: [{ name: "server", isRequired: true }],
  options: { remove: { type: "boolean", describe: { zh: "删除登录信息", en: "delete the sign-in" } } },
  run: runSignIn,
};

export const doctorCommand: CommandRow = {
  name: "doctor",
  help: {
    zh: "检查配置、密钥、模型与服务器：哪里有问题、怎么办",
    en: "checks configuration, keys, models and servers: what is wrong and what to do",
  },
  options: textOrJson,
  run: diagnose,
};

/** Signs in to a remote server, or deletes its credentials. No other server is opened. */
function runSignIn(values: Values): Action {
  return async ({ console, signal }) => {
    const [config, { runLogin, runLogout }] = await Promise.all([
      loadWithState(toFlags(values), console),
      import("../../src/cli/login.ts"),
    ]);
    const command = { config, server: toOptionText(values.server) ?? "", console, signal };
    return values.remove === true ? runLogout(command) : runLogin(command);
  };
}

/** Shows the models in use. */
function runModels(values: Values): Action {
  return async ({ console }) => {
    const { runModelsCommand } = await import("../../src/cli/models-command.ts");
    const write = (lines: string) => void console.stdout.write(lines);
    await runModelsCommand({ config: await load(toFlags(values), console), output: readOutputFormat(values), write });
    return 0;
  };
}

/** Checks configuration, keys, models and servers; a line each. */
function diagnose(values: Values): Action {
  return async (context) => {
    const { runDoctorCommand } = await import("../../src/cli/doctor/doctor-command.ts");
    return runDoctorCommand({ ...context, flags: toFlags(values), output: readOutputFormat(values) });
  };
}
