import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  crossIndustryInvoice,
  unrepresentable,
  xrechnungGaps,
} from '@atrium/core/billing/documents/e-invoice'
import { sampleDocuments } from '@atrium/testing/payments/billing-documents'

/**
 * Checks documents of every kind against the official Schematron rules, which this repository does
 * not contain: `E_INVOICE_RULES` is a folder with the compiled style sheets that their authors
 * publish (EN16931-CII-validation.xslt, XRechnung-CII-validation.xsl), `E_INVOICE_PYTHON` a Python
 * with the package saxonche. docs/explanation/billing-documents.md says where they come from.
 */
const { E_INVOICE_RULES: rules, E_INVOICE_PYTHON: python } = process.env

if (rules === undefined || python === undefined) {
  console.error('The official rules were NOT applied: set E_INVOICE_RULES and E_INVOICE_PYTHON.')
  process.exit(2)
}
const sheets = readdirSync(rules).filter((name) => /\.xslt?$/.test(name))
for (const needed of ['EN16931', 'XRechnung']) {
  if (sheets.some((name) => name.toLowerCase().includes(needed.toLowerCase()))) continue
  console.error(`The official rules were NOT applied: ${rules} has no style sheet of ${needed}.`)
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'e-invoices-'))
let written = 0
for (const [name, document] of sampleDocuments()) {
  if (unrepresentable(document)) continue
  const file = join(folder, name.replaceAll(/\W+/g, '-'))
  writeFileSync(`${file}.en16931.xml`, crossIndustryInvoice(document, 'en16931'))
  written++
  if (xrechnungGaps(document).length > 0) continue
  writeFileSync(`${file}.xrechnung.xml`, crossIndustryInvoice(document, 'xrechnung'))
  written++
}
const output = execFileSync(python, [join(import.meta.dirname, 'apply-rules.py'), rules, folder], {
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
})
rmSync(folder, { recursive: true })
const lines: { file: string; rule?: string; text?: string; fired?: number }[] = output
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line))
const runs = lines.filter(({ fired }) => fired !== undefined)
const findings = lines.filter(({ rule }) => rule !== undefined)
for (const { file, rule, text } of findings) console.error(`${file}: ${rule} ${text}`)
const idle = runs.filter(({ fired }) => fired === 0)
for (const { file } of idle) console.error(`${file}: no rule applied to it`)
console.log(
  `${written} documents, ${runs.length} runs of ${sheets.join(', ')}: ${findings.length} findings`,
)
process.exitCode = findings.length + idle.length === 0 && runs.length >= written ? 0 : 1
