/** The version of Atrium, as `/health`, the metrics and the API description name it. */
export const version = '0.1.0'

/** Set by `builtFrom` of `build-commit.ts`. */
declare const ATRIUM_BUILD_COMMIT: string | undefined

/** The commit that a program was built from; null where it runs from its sources. */
export const commit: string | null =
  typeof ATRIUM_BUILD_COMMIT === 'undefined' ? null : ATRIUM_BUILD_COMMIT
