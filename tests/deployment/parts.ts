import { findProgram } from '@atrium/bench/measure/process'
import type { Check } from './check.ts'
import { checkChart } from './helm.ts'
import { checkImages } from './images.ts'
import { checkAlerts } from './prometheus.ts'
import { checkProxy, proxies } from './proxies.ts'

export interface Part {
  title: string
  run(): Promise<Check[]>
}

/** A part that needs programs: without one of them it is not tried, and says which is missing. */
function withPrograms(
  names: readonly string[],
  run: (programs: Record<string, string>) => Promise<Check[]>,
): () => Promise<Check[]> {
  return async () => {
    const found = names.map((name) => [name, findProgram(name)] as const)
    const missing = found.flatMap(([name, program]) => (program ? [] : [name]))
    if (missing.length > 0)
      return [{ what: 'all of it', measured: `no ${missing.join(', ')} on the path`, holds: null }]
    return run(Object.fromEntries(found.map(([name, program]) => [name, program ?? name])))
  }
}

export const parts: Readonly<Record<string, Part>> = {
  helm: {
    title: 'the Helm chart',
    run: withPrograms(['helm'], ({ helm = 'helm' }) => checkChart(helm)),
  },
  prometheus: {
    title: 'metrics and alerts',
    run: withPrograms(
      ['promtool', 'prometheus-blackbox-exporter'],
      ({ promtool = '', 'prometheus-blackbox-exporter': blackbox = '' }) =>
        checkAlerts(promtool, blackbox),
    ),
  },
  images: {
    title: 'the images',
    run: async () =>
      process.getuid?.() === 0
        ? await withPrograms(
            process.env.NODE_IMAGE ? ['buildah'] : ['buildah', 'debootstrap'],
            checkImages,
          )()
        : [{ what: 'all of it', measured: 'needs root, for mounts and users', holds: null }],
  },
  ...Object.fromEntries(
    Object.keys(proxies).map((name): [string, Part] => [
      name,
      {
        title: `${name} in front of the API`,
        run: withPrograms([name], (programs) => checkProxy(name, programs[name] ?? name)),
      },
    ]),
  ),
}
