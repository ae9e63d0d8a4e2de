import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))
const pages = files.filter((path) => path.endsWith('.md'))
const read = (path: string) => readFile(join(root, path), 'utf8')

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe('documentation', () => {
  it.each(pages)('%s links only to what exists', async (page) => {
    const text = await read(page)
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?|mailto):/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : relative(root, join(root, dirname(page), path))
      expect(existsSync(join(root, file)), target).toBe(true)
      if (anchor) expect(anchorsOf(await read(file)), target).toContain(anchor)
    }
  })

  it('is named by paths that exist', async () => {
    const missing: string[] = []
    for (const file of files.filter((path) => /\.(ts|tsx|json|ya?ml|sh|service|md)$/.test(path)))
      for (const [path] of (await read(file)).matchAll(/(?<![\w/.])docs\/[\w/-]+\.(md|png)\b/g))
        if (!existsSync(join(root, path))) missing.push(`${file}: ${path}`)
    expect(missing).toEqual([])
  })

  it('is sorted by kind, and the README leads to each page', async () => {
    const folders = pages
      .filter((path) => path.startsWith('docs/'))
      .map((path) => path.split('/')[1])
    expect([...new Set(folders)].sort()).toEqual([
      'explanation',
      'how-to',
      'reference',
      'tutorials',
    ])
    const readme = await read('README.md')
    for (const page of pages.filter((path) => /^docs\/[\w-]+\/[\w-]+\.md$/.test(path)))
      expect(readme, page).toContain(`(${page})`)
  })

  it('has a date and a status in each decision, and lists all of them', async () => {
    const folder = 'docs/explanation/decisions'
    const index = await read(`${folder}/README.md`)
    const records = pages.filter((path) => path.startsWith(`${folder}/0`))
    const numbers = records.map((path) => Number(path.slice(folder.length + 1, folder.length + 5)))
    expect(numbers.length).toBeGreaterThan(0)
    expect(numbers).toEqual(numbers.map((_, i) => i + 1))
    for (const [i, record] of records.entries()) {
      const text = await read(record)
      const title = new RegExp(
        `^# ${i + 1}\\. (.+)\n\n- Date: \\d{4}-\\d\\d-\\d\\d\n- Status: (?:accepted|superseded by \\d{4})\n\n`,
      ).exec(text)?.[1]
      expect(title, record).toBeDefined()
      expect(index).toContain(
        `- [${String(i + 1).padStart(4, '0')} ${title}](${record.slice(folder.length + 1)})`,
      )
    }
  })
})
