import { writeFile } from 'node:fs/promises'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** What is thrown outside of every test, as the reporter writes it. */
export interface UnhandledError {
  /** The file that was running, as far as Vitest knows. */
  file: string | null
  message: string
}

/**
 * Writes what was thrown outside of every test to the file `UNHANDLED_ERRORS_FILE`, as JSON.
 * Vitest fails the run for it, but its JSON report does not name it.
 */
export default class UnhandledErrors implements Reporter {
  async onTestRunEnd(
    _modules: readonly TestModule[],
    errors: readonly SerializedError[],
  ): Promise<void> {
    const path = process.env.UNHANDLED_ERRORS_FILE
    if (!path) return
    const found: UnhandledError[] = errors.map(({ name, message, stack, VITEST_TEST_PATH }) => ({
      file: typeof VITEST_TEST_PATH === 'string' ? VITEST_TEST_PATH : null,
      message: stack ?? `${name}: ${message}`,
    }))
    await writeFile(path, JSON.stringify(found))
  }
}
