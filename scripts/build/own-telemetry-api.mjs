/**
 * OpenTelemetry's bundled packages get the copy of `@opentelemetry/api` that they were made for: the one beside Duet may be an
 * older 1.x, without the names that they import. All copies of 1.x find each other's registrations.
 */
export const ownTelemetryApi = {
  name: "own-telemetry-api",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^@opentelemetry\/api$/ }, ({ importer, kind }) => {
      if (!/[\\/]node_modules[\\/]@opentelemetry[\\/]/.test(importer)) return undefined;
      // The folder of the package, which is no name that stays outside the bundle.
      return resolve("./node_modules/@opentelemetry/api", { kind, resolveDir: process.cwd() });
    });
  },
};
