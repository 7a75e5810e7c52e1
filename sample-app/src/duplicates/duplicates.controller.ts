import { Controller, Delete } from '@nestjs/common';
import { DuplicatesService, type Removal } from './duplicates.service.js';

@Controller('duplicates')
export class DuplicatesController {
  constructor(private readonly duplicates: DuplicatesService) {}

  @Delete()
  removeAll(): Promise<Removal> {
    return this.duplicates.removeAll();
  }
}
