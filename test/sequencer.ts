import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that start processes run first: they wait for most of their time, which other files use. Otherwise a first run would order by
 * size, later ones by duration, and a short file with a long test could be the last one and run alone.
 */
export class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await BaseSequencer.prototype.sort.call(this, files), ({ project }) => project)
    return [...byProject.values()].flatMap(specs => {
      const { true: first = [], false: others = [] } = Object.groupBy(specs, spec => `${startsProcesses(spec)}`)
      return [...first, ...others]
    })
  }
}

const startsProcesses = ({ moduleId }: TestSpecification) => readFileSync(moduleId, 'utf8').includes("/program.ts'")
