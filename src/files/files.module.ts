import { Logger, Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { Config } from '../config/config.js';
import { Encryption } from '../encryption/encryption.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { findExposure } from '../kernel/private-folder.js';
import { HttpModule } from '../http/http.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { WorkspaceModule } from '../workspace/workspace.module.js';
import { AttachedFiles } from './attached/attached-files.js';
import { FileUrls } from './download/file-urls.js';
import { withKeys } from './encrypted/encrypted-file-store.js';
import { FileCatalog } from './file-catalog.js';
import { FileContents } from './file-contents.js';
import { FilePurge } from './file-purge.js';
import { FileMeter, metered } from './file-meter.js';
import { FileStore } from './file-store.js';
import { openFileStore } from './open-file-store.js';
import { FilesController } from './files.controller.js';
import { FilesService } from './files.service.js';
import { ChatFiles } from './tools/chat-files.js';
import { FileImportTool } from './tools/file-import.tool.js';
import { FileListTool } from './tools/file-list.tool.js';
import { FileReadTool } from './tools/file-read.tool.js';
import { UploadLimit } from './upload/upload-limit.js';
import { FileSaveTool } from './tools/file-save.tool.js';

@Module({
  imports: [
    AccessModule,
    EventLogModule,
    GuardrailsModule,
    HttpModule,
    QuotasModule,
    ToolsModule,
    WorkspaceModule,
  ],
  controllers: [FilesController],
  providers: [
    FilesService,
    FileContents,
    FilePurge,
    UploadLimit,
    FileUrls,
    ChatFiles,
    AttachedFiles,
    FileListTool,
    FileReadTool,
    FileSaveTool,
    FileImportTool,
    {
      provide: FileStore,
      inject: [Config, Encryption, FileMeter, FileCatalog],
      useFactory: openBytes,
    },
  ],
  exports: [FilePurge, FilesService, AttachedFiles],
})
export class FilesModule {}

async function openBytes(
  config: Config,
  { keys }: Encryption,
  meter: FileMeter,
  catalog: FileCatalog,
): Promise<FileStore> {
  const store = metered(await openFileStore(config, catalog), meter);
  const exposure =
    config.fileStore === 'local' && (await findExposure('FILES_DIR', config.filesDir));
  if (exposure) new Logger('Files').warn(exposure);
  return withKeys(store, keys);
}
