import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that start processes run first: they wait for most of their time, which other files use. Otherwise a first run would order by
 * size, later ones by duration, and a short file with a long test could be the last one and run alone. The longest files wait, too:
 * side by side, they would leave the cores idle.
 */
export class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await BaseSequencer.prototype.sort.call(this, files), ({ project }) => project)
    return [...byProject.values()].flatMap(specs => {
      const { true: first = [], false: others = [] } = Object.groupBy(specs, spec => `${startsProcesses(spec)}`)
      return [...first, ...spread(others)]
    })
  }
}

/** Every third of the sorted files, then those behind them, and so on: the last ones are short. */
const spread = (specs: TestSpecification[]): TestSpecification[] =>
  [0, 1, 2].flatMap(start => specs.filter((_, index) => index % 3 === start))

const startsProcesses = ({ moduleId }: TestSpecification) => readFileSync(moduleId, 'utf8').includes("/program.ts'")
