package io.waybill.spring;

import org.springframework.data.repository.CrudRepository;

interface Invoices extends CrudRepository<Invoice, String> {}
