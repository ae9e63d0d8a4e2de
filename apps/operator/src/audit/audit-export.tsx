import { exportFormats } from '@atrium/core/audit/audit'
import { translations } from '@atrium/ui/messages'
import { countFilters } from '@atrium/ui/search-params'
import { Button, Menu, Text } from '@mantine/core'
import { IconDownload, IconFileText } from '@tabler/icons-react'
import { type AuditSearch, exportAddress, formatNames } from './search.ts'

const t = translations('operator.audit')

/**
 * Downloads every entry that matches the filters. The browser fetches the file itself, so its size
 * does not matter.
 */
export function AuditExport({ search }: { search: AuditSearch }) {
  const filtered = countFilters({ ...search, limit: undefined }) > 0
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={17} aria-hidden />}>
          {t('export.action')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {exportFormats.map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={exportAddress(search, format)}
            download
            leftSection={<IconFileText size={17} aria-hidden />}
          >
            {formatNames[format]}
            <Text size="xs" c="dimmed">
              {t('export.about', { format, filtered: filtered ? 'yes' : 'no' })}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
