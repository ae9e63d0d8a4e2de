import { Button, type ButtonProps, Group } from '@mantine/core'
import { IconDownload, IconReceipt2 } from '@tabler/icons-react'
import type { ComponentProps } from 'react'
import { translations } from './messages.ts'

const t = translations('ui.labels')

interface Props {
  /** The address of the statement; its formats are parameters. */
  href: string
  payout: {
    status: string
    statementNumber: string | null
    cancellationNumber: string | null
  }
}

/** Downloads of a payout's documents. A payout canceled before its statement has none. */
export function StatementLinks({ href, payout }: Props) {
  const { status, statementNumber, cancellationNumber } = payout
  if (status === 'canceled' && statementNumber === null) return null
  const receiptIcon = <IconReceipt2 size={16} aria-hidden />
  const downloadIcon = <IconDownload size={16} aria-hidden />
  return (
    <Group gap="xs">
      {cancellationNumber !== null && (
        <DownloadLink href={`${href}?document=cancellation`} leftSection={receiptIcon}>
          {t('statement.cancellation')}
        </DownloadLink>
      )}
      <DownloadLink href={href} leftSection={receiptIcon}>
        {t('statement.statement')}
      </DownloadLink>
      <DownloadLink
        href={`${href}?format=csv`}
        leftSection={downloadIcon}
        aria-label={t('statement.statementCsv')}
      >
        {t('statement.csv')}
      </DownloadLink>
      {statementNumber !== null && (
        <>
          <DownloadLink href={`${href}?format=pdf`} leftSection={downloadIcon}>
            {t('statement.statementPdf')}
          </DownloadLink>
          <DownloadLink href={`${href}?format=xml`} leftSection={downloadIcon}>
            {t('statement.xml')}
          </DownloadLink>
        </>
      )}
    </Group>
  )
}

function DownloadLink(props: ButtonProps & ComponentProps<'a'>) {
  return <Button component="a" download size="xs" variant="default" {...props} />
}
