import type { DocumentView } from '@atrium/core/billing/documents/views'
import type { OperatorInvoiceDetail } from '@atrium/core/billing/operator-invoices'
import { QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Time } from '@atrium/ui/time'
import { Button, Group, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.documents')

/** The legal documents of an invoice as files: itself, its credit notes and cancellations. */
export function InvoiceDocuments({ invoice }: { invoice: OperatorInvoiceDetail }) {
  const { tenantSlug: slug, id: invoiceId } = invoice
  const query = useQuery(useTRPC().documents.list.queryOptions({ slug, invoiceId }))
  return (
    <Panel title={t('ofInvoice.title')} description={t('ofInvoice.hint')}>
      <QueryState query={query} loading={t('loading')} failed={t('ofInvoice.loadFailed')} />
      {query.data?.items.length === 0 && <Text c="dimmed">{t('ofInvoice.none')}</Text>}
      {query.data && query.data.items.length > 0 && (
        <DetailList>
          {query.data.items.map((document) => (
            <DetailItem key={document.id} label={nameOf(document)}>
              <Files slug={slug} document={document} />
            </DetailItem>
          ))}
        </DetailList>
      )}
    </Panel>
  )
}

function nameOf({ kind, cancels, number }: DocumentView): string {
  const named = number ?? t('ofInvoice.noNumber')
  if (cancels) return t('ofInvoice.kinds.cancellation', { number: named })
  return kind === 'invoice'
    ? t('ofInvoice.kinds.invoice', { number: named })
    : t('ofInvoice.kinds.creditNote', { number: named })
}

function Files({ slug, document }: { slug: string; document: DocumentView }) {
  const { id, issuedAt, xml, problems } = document
  if (issuedAt === null)
    return (
      <Text size="sm">
        {t('ofInvoice.waits', {
          missing: problems.map((problem) => t(`problems.${problem}`)).join(', '),
        })}
      </Text>
    )
  const href = `/api/tenants/${slug}/documents/${id}`
  const name = nameOf(document)
  return (
    <>
      <Group gap="xs">
        <FileLink href={href} label={t('ofInvoice.pdf')} about={name} />
        {xml && <FileLink href={`${href}?format=xml`} label={t('ofInvoice.xml')} about={name} />}
      </Group>
      <Text size="xs" c="dimmed" mt={4}>
        {t.rich('ofInvoice.issued', { time: () => <Time at={issuedAt} show="both" /> })}
      </Text>
    </>
  )
}

function FileLink({ href, label, about }: { href: string; label: string; about: string }) {
  return (
    <Button
      component="a"
      href={href}
      download
      size="xs"
      variant="default"
      leftSection={<IconDownload size={14} aria-hidden />}
      aria-label={`${label}, ${about}`}
    >
      {label}
    </Button>
  )
}
