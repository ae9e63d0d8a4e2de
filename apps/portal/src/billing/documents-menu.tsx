import type { InvoiceView } from '@atrium/core/billing/billing'
import type { DocumentView } from '@atrium/core/billing/documents/views'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { Button, Loader, Menu, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.billing')

/** The invoice, its credit notes and cancellations as files. Read when the menu is opened. */
export function DocumentsMenu({ invoice: { id, number } }: { invoice: InvoiceView }) {
  const { slug } = useTenant()
  const [opened, setOpened] = useState(false)
  const query = useQuery(
    useTRPC().documents.list.queryOptions({ slug, invoiceId: id }, { enabled: opened }),
  )
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          aria-label={t('documents.openNumber', { number: number ?? t('invoices.noNumber') })}
        >
          {t('documents.open')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown maw={320}>
        {query.isPending && <Loader size="sm" m="xs" aria-label={t('documents.loading')} />}
        {query.isError && (
          <Text size="sm" p="xs">
            {problemOf(query.error).message}
          </Text>
        )}
        {query.data?.items.length === 0 && (
          <Text size="sm" p="xs">
            {t('documents.none')}
          </Text>
        )}
        {query.data?.items.map((document) => (
          <DocumentItems key={document.id} slug={slug} document={document} />
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function DocumentItems({ slug, document }: { slug: string; document: DocumentView }) {
  const { id, kind, cancels, number, issuedAt, xml, problems } = document
  const href = `/api/tenants/${slug}/documents/${id}`
  const name = t(
    `documents.kinds.${cancels ? 'cancellation' : kind === 'invoice' ? 'invoice' : 'creditNote'}`,
    {
      number: number ?? t('invoices.noNumber'),
    },
  )
  return (
    <>
      <Menu.Label>{name}</Menu.Label>
      {issuedAt === null ? (
        <Text size="sm" px="sm" pb="xs">
          {problems.includes('buyer_address')
            ? t('documents.needsAddress')
            : t('documents.waiting')}
        </Text>
      ) : (
        <>
          <Menu.Item component="a" href={href} download>
            {t('documents.pdf')}
          </Menu.Item>
          {xml && (
            <Menu.Item component="a" href={`${href}?format=xml`} download>
              {t('documents.xml')}
            </Menu.Item>
          )}
        </>
      )}
    </>
  )
}
