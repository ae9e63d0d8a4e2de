import { stat } from 'node:fs/promises'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files with little text first: mostly those that start no server. A mutant that they kill needs no
 * other file.
 */
export class ShortFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sized = files.map(async (file) => ({ file, size: (await stat(file.moduleId)).size }))
    return (await Promise.all(sized)).sort((a, b) => a.size - b.size).map(({ file }) => file)
  }
}
